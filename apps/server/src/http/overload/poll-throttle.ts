import { Socket } from 'node:net'

/** With more polls than this in one turn of the event loop, polling connections are throttled … */
const tooMany = 64
/** … and so many of them are read in each turn: other calls wait for these at most. */
const eachTurn = 4

export interface PollThrottle {
  /** Counts a poll; true when this turn had more of them than other calls should wait for. */
  enter(): boolean
  /**
   * Leaves the connection unread until its turn comes. What it sends meanwhile waits in the kernel and costs nothing.
   */
  hold(socket: Socket): void
}

/**
 * Where pages poll faster than they can be answered, refusing them costs nearly as much as answering. So connections
 * whose last call was a poll are read a few at a time, and all others always.
 */
export function createPollThrottle(): PollThrottle {
  let inTurn = 0
  let turning = false
  const held: Socket[] = []
  let first = 0

  function turn() {
    inTurn = 0
    for (let read = 0; read < eachTurn && first < held.length; read++) held[first++]?.resume()
    if (first === held.length) {
      held.length = 0
      first = 0
      turning = false
    } else setImmediate(turn)
  }
  function keepTurning() {
    if (turning) return
    turning = true
    setImmediate(turn)
  }
  return {
    enter() {
      keepTurning()
      return ++inTurn > tooMany || first < held.length
    },
    hold(socket) {
      // An injected call has no connection to pause.
      if (socket.destroyed || !(socket instanceof Socket)) return
      socket.pause()
      held.push(socket)
      // An answer may come long after the turn of its request.
      keepTurning()
    },
  }
}
