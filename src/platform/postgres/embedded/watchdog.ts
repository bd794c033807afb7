/**
 * Ties the life of the server to the lives of all programs that use it.
 *
 * Every user holds a named pipe open for writing. A small shell holds the reading end, runs the
 * server as its child, and stops it when the pipe reports that its last writer is gone. The kernel
 * closes the pipe of a process however that process ends, `kill -9` included, so a server never
 * outlives its users, and no user has to know whether it is the last.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chownSync, constants, existsSync, openSync } from 'node:fs'
import type { ServerAccount } from './account.ts'

const SCRIPT = `
exec 3<"$1" 4>>"$2"
shift 2
"$@" </dev/null >&4 2>&4 3<&- 4>&- &
server=$!
( cat <&3 >/dev/null; kill -INT $server ) 2>/dev/null >/dev/null &
users=$!
wait $server
status=$?
kill $users 2>/dev/null
exit $status
`

/** Makes the pipe if need be and holds it open until the file descriptor is closed. */
export function holdPipe(path: string, account: ServerAccount | undefined): number {
  if (!existsSync(path)) {
    try {
      execFileSync('mkfifo', ['-m', '600', path], { stdio: 'ignore', timeout: 10_000 })
    } catch (cause) {
      if (!existsSync(path)) throw new Error(`Cannot make the pipe ${path}`, { cause })
    }
    if (account) chownSync(path, account.uid, account.gid)
  }
  // Opening for reading and writing never blocks, and counts as a writer.
  return openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
}

/** Starts the server under a watchdog in a session of its own, out of reach of Ctrl-C. */
export function spawnWatched(
  command: string[],
  pipe: string,
  logFile: string,
  account: ServerAccount | undefined,
): ChildProcess {
  const child = spawn('sh', ['-c', SCRIPT, 'vigil-postgres', pipe, logFile, ...command], {
    stdio: 'ignore',
    detached: true,
    cwd: '/',
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' },
    ...(account && { uid: account.uid, gid: account.gid }),
  })
  child.unref()
  return child
}
