/**
 * Both ends of a helper process of a benchmark: one message in is one job, one message out is its
 * result. A helper ends with the process that started it, however that ends.
 */
import { fork } from 'node:child_process'

export type Worker<Job, Result> = {
  pid: number
  run(job: Job): Promise<Result>
  stop(): Promise<void>
}

type Message<Result> = { result: Result } | { failure: string }

const JOB_DEADLINE_MS = 300_000
const STOP_DEADLINE_MS = 5_000

/**
 * Starts `main.js worker <name>`, which runs one job at a time.
 * @param profileFolder folder for a CPU profile, written when the helper ends
 */
export function startWorker<Job extends object, Result>(
  name: string,
  profileFolder?: string,
): Worker<Job, Result> {
  const child = fork(process.argv[1] ?? '', ['worker', name], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: profileFlags(profileFolder),
  })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  return {
    pid: child.pid ?? 0,
    run: (job) =>
      new Promise((resolve, reject) => {
        const settle = (finish: () => void) => {
          clearTimeout(deadline)
          child.off('message', onMessage).off('exit', onExit)
          finish()
        }
        const onExit = () => settle(() => reject(new Error(`the helper ${name} ended early`)))
        const deadline = setTimeout(() => {
          settle(() => reject(new Error(`the helper ${name} did not finish in time`)))
        }, JOB_DEADLINE_MS)
        const onMessage = (message: unknown) => {
          const outcome = message as Message<Result>
          if ('result' in outcome) settle(() => resolve(outcome.result))
          else settle(() => reject(new Error(outcome.failure)))
        }
        child.on('message', onMessage).on('exit', onExit)
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

export const profileFlags = (folder: string | undefined): string[] =>
  folder === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', folder]

/** Runs jobs in the helper process until the process that started it disconnects or ends. */
export async function serveJobs<Job, Result extends object>(
  handle: (job: Job) => Promise<Result>,
): Promise<void> {
  const send = (message: Message<Result>) => process.send?.(message)
  process.on('message', (job) => {
    handle(job as Job).then(
      (result) => send({ result }),
      (error: unknown) => send({ failure: error instanceof Error ? error.message : String(error) }),
    )
  })
  await new Promise<void>((resolve) => process.once('disconnect', resolve))
  process.exit()
}
