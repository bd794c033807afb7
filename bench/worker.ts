/**
 * Both ends of a helper process: one message in is one job, one message out its result. A helper
 * ends with the process that started it, however that ends.
 */
import { fork } from 'node:child_process'

export type Worker<Job, Result, Progress = never> = {
  run(job: Job, onProgress?: (progress: Progress) => void): Promise<Result>
  stop(): Promise<void>
}

type Message<Result, Progress> =
  | { kind: 'progress'; progress: Progress }
  | { kind: 'result'; result: Result }
  | { kind: 'failure'; message: string }

const JOB_DEADLINE_MS = 300_000
const STOP_DEADLINE_MS = 5_000

/**
 * Starts `main.js worker <name>`; it serves one job at a time.
 * @param profileFolder where a CPU profile is left when it ends
 */
export function startWorker<Job extends object, Result, Progress = never>(
  name: string,
  profileFolder?: string,
): Worker<Job, Result, Progress> {
  const program = process.argv[1] ?? ''
  const child = fork(program, ['worker', name], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: profileFlags(profileFolder),
  })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  return {
    run: (job, onProgress) =>
      new Promise((resolve, reject) => {
        const settle = (finish: () => void) => {
          clearTimeout(deadline)
          child.off('message', listen).off('exit', fail)
          finish()
        }
        const fail = () => settle(() => reject(new Error(`the helper ${name} ended unexpectedly`)))
        const deadline = setTimeout(() => {
          settle(() => reject(new Error(`the helper ${name} did not finish in time`)))
        }, JOB_DEADLINE_MS)
        const listen = (message: unknown) => {
          const told = message as Message<Result, Progress>
          if (told.kind === 'progress') onProgress?.(told.progress)
          else if (told.kind === 'result') settle(() => resolve(told.result))
          else settle(() => reject(new Error(told.message)))
        }
        child.on('message', listen).on('exit', fail)
        child.send(job)
      }),
    stop: async () => {
      if (child.connected) child.disconnect()
      const killer = setTimeout(() => child.kill('SIGKILL'), STOP_DEADLINE_MS)
      await exited
      clearTimeout(killer)
    },
  }
}

/** For Node.js. */
export const profileFlags = (folder: string | undefined): string[] =>
  folder === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', folder]

/** The other end. Does not return before the starting process lets go. */
export async function serveJobs<Job, Result, Progress = never>(
  handle: (job: Job, onProgress: (progress: Progress) => void) => Promise<Result>,
): Promise<void> {
  const send = (message: Message<Result, Progress>) => process.send?.(message)
  process.on('message', (job) => {
    handle(job as Job, (progress) => void send({ kind: 'progress', progress })).then(
      (result) => send({ kind: 'result', result }),
      (error: unknown) =>
        send({ kind: 'failure', message: error instanceof Error ? error.message : String(error) }),
    )
  })
  await new Promise<void>((resolve) => process.once('disconnect', resolve))
  process.exit()
}
