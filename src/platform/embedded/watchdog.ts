/**
 * Stops an embedded server when the last process that uses it has ended.
 *
 * Every user holds a named pipe open for writing. A small shell holds the reading end, runs the
 * server as its child, and stops it when the pipe reports that its last writer is gone. The kernel
 * closes the pipe of a process however it ends, even by `kill -9`, so a server never outlives its
 * users, and no user has to know whether it is the last.
 *
 * Before it stops the server, the shell writes a mark file and checks the pipe again. A user that
 * arrives at that moment either opens the pipe before the second check or finds the mark.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chownSync, constants, lstatSync, openSync, rmSync, writeSync } from 'node:fs'
import { OperatorError, reasonOf } from '../operator-error.ts'
import type { ServerAccount } from './account.ts'

/** File descriptor under which the program finds the folder or file that it inherits. */
export const INHERITED_FD = 5

// Opening a pipe for reading waits for a writer, which may have died by now; opening it for reading
// and writing never waits. The signal is repeated because a server that has just been started does
// not handle it yet. A mark that cannot be written (disk full, folder deleted) must not stop the
// shell, as it would with `:` in place of `true`. The last signal ends the rest of the session.
const SCRIPT = `
exec 6<>"$1" 3<"$1" 6>&- 4>>"$2" || exit
pipe=$1
shift 2
"$@" </dev/null >&4 2>&4 3<&- 4>&- &
server=$!
mark=$pipe.stopping-$server
rm -f "$mark"
(
  while cat <&3; true >"$mark"; read -r line <&3; do rm -f "$mark"; done
  while kill -INT $server; do sleep 0.2; done
) >/dev/null 2>&1 &
wait $server
status=$?
trap '' TERM
kill -TERM 0
rm -f "$mark"
exit $status
`

/** Mark file that exists while the watchdog is about to stop that server, unless a user calls. */
export const stopMark = (pipe: string, serverPid: number): string => `${pipe}.stopping-${serverPid}`

/** Keeps a watchdog that wrote its mark from stopping the server; any other ignores the call. */
export function callWatchdog(pipe: number): void {
  try {
    writeSync(pipe, '\n')
  } catch {
    // The pipe is full of calls already.
  }
}

/** Creates the pipe if needed and holds it open until the returned file descriptor is closed. */
export function holdPipe(path: string, account: ServerAccount | undefined): number {
  if (!isPipe(path)) {
    // Restoring a backup may have created an ordinary file in its place.
    rmSync(path, { force: true })
    try {
      execFileSync('mkfifo', ['-m', '600', path], { stdio: 'ignore', timeout: 10_000 })
    } catch (cause) {
      if (!isPipe(path)) throw new Error(`Cannot create the pipe ${path}`, { cause })
    }
  }
  if (account) chownSync(path, account.uid, account.gid)
  // Opening for reading and writing never blocks, and counts as a writer.
  return openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
}

const isPipe = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isFIFO() ?? false

export type Watched = {
  /** Exit status; undefined when a signal ended the watchdog itself. Rejects if it cannot start. */
  ended: Promise<number | undefined>
  /** Lets this process end while the watched program still runs. */
  detach(): void
}

export type WatchedOptions = {
  /** Name of the program in error messages and in the process list. */
  name: string
  account: ServerAccount | undefined
  for_server: { pipe: string; log: string }
  /** Descriptor to pass on. */
  inherited: number | undefined
  /** The root folder by default. */
  working_folder?: string
}

/**
 * Starts a program under a watchdog in a separate session, so that Ctrl-C does not reach it.
 * @throws OperatorError if the program cannot be run as the account
 */
export function spawnWatched(command: string[], options: WatchedOptions): Watched {
  const child = start(command, options)
  const ended = new Promise<number | undefined>((resolve, reject) => {
    child.once('error', (cause) => reject(notRun(cause, options)))
    child.once('exit', (status) => resolve(status ?? undefined))
  })
  return { ended, detach: () => child.unref() }
}

function start(command: string[], options: WatchedOptions): ChildProcess {
  const { name, account, for_server, inherited, working_folder = '/' } = options
  const label = `vigil-${name.toLowerCase()}`
  const args = ['-c', SCRIPT, label, for_server.pipe, for_server.log, ...command]
  const passed = inherited === undefined ? [] : (['ignore', 'ignore', inherited] as const)
  try {
    return spawn('sh', args, {
      stdio: ['ignore', 'ignore', 'ignore', ...passed],
      detached: true,
      cwd: working_folder,
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' },
      ...(account && { uid: account.uid, gid: account.gid }),
    })
  } catch (cause) {
    throw notRun(cause, options)
  }
}

function notRun(cause: unknown, { name, account }: WatchedOptions): OperatorError {
  const as = account ? ` as the account ${account.name}` : ''
  return new OperatorError(`${name} could not be run${as}: ${reasonOf(cause)}`, { cause })
}
