/**
 * Ties the life of the server to the lives of all programs that use it.
 *
 * Every user holds a named pipe open for writing. A small shell holds the reading end, runs the
 * server as its child, and stops it when the pipe reports that its last writer is gone. The kernel
 * closes the pipe of a process however that process ends, `kill -9` included, so a server never
 * outlives its users, and no user has to know whether it is the last.
 *
 * Before it stops the server, the shell leaves a mark and looks at the pipe again. A user who comes
 * at that moment either has the pipe open in time for the second look, or finds the mark.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chownSync, constants, lstatSync, openSync, rmSync, writeSync } from 'node:fs'
import { OperatorError, reasonOf } from '../operator-error.ts'
import type { ServerAccount } from './account.ts'

/** The number under which what is run finds the descriptor that it inherits. */
export const INHERITED_FD = 5

// Opening a pipe for reading waits for a writer, who may have died by now; for reading and writing
// it never waits. A server that has only just been started does not hear a signal yet, hence the
// repetition. A mark that cannot be left (disk full, folder gone) must not keep the shell from going
// on, which it would with `:` in place of `true`. The signal at the end goes to what is left of the
// shell's own session.
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

/** There while the watchdog is about to stop that server, unless a user makes itself heard. */
export const stopMark = (pipe: string, serverPid: number): string => `${pipe}.stopping-${serverPid}`

/** Makes this user heard by a watchdog that left its mark; any other takes no notice. */
export function callWatchdog(pipe: number): void {
  try {
    writeSync(pipe, '\n')
  } catch {
    // The pipe is full of calls, which will do.
  }
}

/** Makes the pipe if need be and holds it open until the file descriptor is closed. */
export function holdPipe(path: string, account: ServerAccount | undefined): number {
  if (!isPipe(path)) {
    // A backup that was put back may have made an ordinary file of it.
    rmSync(path, { force: true })
    try {
      execFileSync('mkfifo', ['-m', '600', path], { stdio: 'ignore', timeout: 10_000 })
    } catch (cause) {
      if (!isPipe(path)) throw new Error(`Cannot make the pipe ${path}`, { cause })
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
  /** From now on the program may end while this still runs. */
  detach(): void
}

export type WatchedOptions = {
  /** Of the program, for its operator and for the list of processes. */
  name: string
  account: ServerAccount | undefined
  for_server: { pipe: string; log: string }
  folder_fd: number | undefined
}

/**
 * Starts a program under a watchdog in a session of its own, out of reach of Ctrl-C.
 *
 * @throws OperatorError when the account may not be taken
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
  const { name, account, for_server, folder_fd } = options
  const label = `vigil-${name.toLowerCase()}`
  const args = ['-c', SCRIPT, label, for_server.pipe, for_server.log, ...command]
  const inherited = folder_fd === undefined ? [] : (['ignore', 'ignore', folder_fd] as const)
  try {
    return spawn('sh', args, {
      stdio: ['ignore', 'ignore', 'ignore', ...inherited],
      detached: true,
      cwd: '/',
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
