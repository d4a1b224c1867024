// For `node --import`, in a child process with an IPC channel: ends it when its parent has ended, whatever it waits for.
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))
