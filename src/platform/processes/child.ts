/** A process of the service as the supervisor sees it. */
import { type ChildProcess, fork } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import type { Socket } from 'node:net'
import type { Taker } from '../net/shared-port.ts'
import { OperatorError } from '../operator-error.ts'
import { type Channel, createChannel } from './channel.ts'
import type { ProcessRole } from './count.ts'

export type Child = Taker & {
  pid: number
  role: ProcessRole
  channel: Channel
  /** Socket at which the process takes work from others. */
  socket: string
  /**
   * Resolves to what the process reports when it is ready.
   * @throws OperatorError for faults that the operator can fix
   */
  ready: Promise<unknown>
  /** Resolves to how the process ended. */
  ended: Promise<string>
  /**
   * Resolves when the process has ended.
   * @param isGentle whether clients get time to open another connection
   */
  stop(isGentle: boolean): Promise<void>
}

/** The report of a process that cannot start. */
export type StartFault = {
  reason: string
  /** Whether the operator can fix it, so that no stack is needed. */
  is_plain: boolean
}

export type ChildOptions = {
  /** File and arguments of the program. */
  program: readonly [file: string, ...args: string[]]
  environment: Record<string, string | undefined>
  role: ProcessRole
  socket: string
  /** Passed to the process, which waits for it. */
  start: object
}

const READY_DEADLINE_MS = 60_000
/** Longer than a process takes to part from its clients and to close. */
const STOP_DEADLINE_MS = 20_000
const RUNNING_NODE = '/proc/self/exe'

export function startChild(options: ChildOptions): Child {
  const { program, environment, role, socket, start } = options
  const [file, ...args] = program
  const child = fork(file, args, {
    env: environment,
    execPath: findNode(),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const channel = createChannel(child)
  const ended = endOf(child)
  let taken = () => {}
  channel.on('taken', () => taken())
  void ended.then(() => taken())
  channel.send('start', { role, socket, ...start })
  return {
    pid: child.pid ?? 0,
    role,
    channel,
    socket,
    ended,
    ready: untilReady(child, channel, ended),
    take: async (connection: Socket) => {
      await new Promise<void>((resolve) => {
        taken = resolve
        if (child.connected) channel.send('connection', undefined, connection)
        else resolve()
      })
    },
    stop: async (isGentle) => {
      channel.send('stop', { is_gentle: isGentle })
      const killer = setTimeout(() => child.kill('SIGKILL'), STOP_DEADLINE_MS)
      await ended
      clearTimeout(killer)
    },
  }
}

const endOf = async (child: ChildProcess): Promise<string> =>
  await new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (status, signal) => resolve(signal ?? `status ${status}`))
  })

async function untilReady(
  child: ChildProcess,
  channel: Channel,
  ended: Promise<string>,
): Promise<unknown> {
  const late = setTimeout(() => child.kill('SIGKILL'), READY_DEADLINE_MS)
  try {
    return await new Promise((resolve, reject) => {
      channel.on('ready', resolve)
      channel.on('failed', (fault) => {
        const { reason, is_plain } = fault as StartFault
        reject(is_plain ? new OperatorError(reason) : new Error(reason))
      })
      void ended.then((how) => reject(new Error(`It ended with ${how} before it was ready`)))
    })
  } finally {
    clearTimeout(late)
  }
}

/** The account that runs the service may be unable to reach Node.js by its path. */
function findNode(): string {
  try {
    accessSync(process.execPath, constants.X_OK)
    return process.execPath
  } catch {
    return RUNNING_NODE
  }
}
