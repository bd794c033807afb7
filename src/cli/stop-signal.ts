/** Requests to stop a program that runs until stopped: a signal, or the end of its parent process. */
import { readFileSync } from 'node:fs'

export type StopSignal = {
  requested: Promise<void>
  isRequested(): boolean
  /** Aborted when the stop is requested. */
  signal: AbortSignal
}

const PARENT_CHECK_MS = 250
const SHELL = /^(?:sh|ash|dash|bash|zsh|busybox)$/

/**
 * A second signal ends the process immediately.
 * @param endsWithParent also stops when the parent ends, because a killed npm passes no signal on
 * @param onHangup called for SIGHUP, which otherwise stops, too
 */
export function stopSignal(endsWithParent: boolean, onHangup?: () => void): StopSignal {
  const stopping = new AbortController()
  const { signal } = stopping
  const requested = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve())
  })
  const stop = () => {
    if (signal.aborted) process.exit(1)
    stopping.abort()
  }
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, stop)
  process.on('SIGHUP', onHangup ?? stop)
  if (endsWithParent) whenParentEnds(stop)
  return { requested, isRequested: () => signal.aborted, signal }
}

/**
 * Calls back when a stop is requested, or when the reader of a pipe has left, as in `vigil logs tail | head -1`.
 * @returns ends the watch of the pipe
 */
export function whenReaderStops(stop: () => void): () => void {
  void stopSignal(false).requested.then(stop)
  process.stdout.once('error', stop)
  return () => void process.stdout.off('error', stop)
}

/** Polls the parent, because the system gives a process whose parent ends another parent. */
function whenParentEnds(stop: () => void): void {
  const before = parents()
  const watch = setInterval(() => {
    if (parents() === before) return
    clearInterval(watch)
    stop()
  }, PARENT_CHECK_MS)
  watch.unref()
}

/**
 * npm runs scripts through a shell. Some shells replace themselves by the script, others stay between
 * npm and this process.
 */
function parents(): string {
  const parent = process.ppid
  const { name, ppid } = readProcess(parent)
  return SHELL.test(name) ? `${parent} ${ppid}` : String(parent)
}

/** Name and parent from `/proc/<pid>/stat`; empty on systems without that file. */
function readProcess(pid: number): { name: string; ppid: string } {
  try {
    const [, name = '', ppid = ''] =
      /^\d+ \((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    return { name, ppid }
  } catch {
    return { name: '', ppid: '' }
  }
}
