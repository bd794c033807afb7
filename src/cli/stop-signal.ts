/** When a program that runs until it is told to has been told to: by a signal, or by its parent. */
import { readFileSync } from 'node:fs'

export type StopSignal = { requested: Promise<void>; isRequested(): boolean }

const PARENT_CHECK_MS = 250
const SHELL = /^(?:sh|ash|dash|bash|zsh|busybox)$/

/**
 * A second signal ends the process at once.
 *
 * @param endsWithParent an npm that is killed cannot pass the signal on, so its end is watched for
 */
export function stopSignal(endsWithParent: boolean): StopSignal {
  let isStopping = false
  let resolve: () => void = () => undefined
  const requested = new Promise<void>((done) => {
    resolve = done
  })
  const stop = () => {
    if (isStopping) process.exit(1)
    isStopping = true
    resolve()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
  if (endsWithParent) whenParentEnds(stop)
  return { requested, isRequested: () => isStopping }
}

/** A process whose parent ends is handed to another. */
function whenParentEnds(stop: () => void): void {
  const before = parents()
  const watch = setInterval(() => {
    if (parents() === before) return
    clearInterval(watch)
    stop()
  }, PARENT_CHECK_MS)
  watch.unref()
}

/** npm runs scripts by a shell. Some shells step aside, others stay between npm and this process. */
function parents(): string {
  const parent = process.ppid
  const { name, ppid } = readProcess(parent)
  return SHELL.test(name) ? `${parent} ${ppid}` : String(parent)
}

/** Name and parent by `/proc/<pid>/stat`; empty where there is no such file. */
function readProcess(pid: number): { name: string; ppid: string } {
  try {
    const [, name = '', ppid = ''] =
      /^\d+ \((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    return { name, ppid }
  } catch {
    return { name: '', ppid: '' }
  }
}
