// Imported by what `pnpm` and `node --run` start: neither passes every signal on, and none passes on that it was killed.
const { npm_lifecycle_event, NODE_RUN_SCRIPT_NAME } = process.env
const runner = process.ppid
if (npm_lifecycle_event ?? NODE_RUN_SCRIPT_NAME)
  setInterval(() => {
    if (process.ppid !== runner) process.kill(process.pid, 'SIGTERM')
  }, 500).unref()
