/** Processor time and memory of processes, and processor time of the whole machine in seconds. */
import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'

export type ProcessorTime = {
  /** By process id. Processes that have ended are missing, and all of them on systems without /proc. */
  processes: Map<number, number>
  /** Time in which any program of this machine ran, and the time that was available. */
  busy: number
  total: number
}

const TICKS_PER_SECOND = 100

/** @param postgres the server process, whose time includes that of its connections */
export function readProcessorTime(postgres: number, others: Iterable<number>): ProcessorTime {
  const processes = new Map<number, number>()
  const server = readTicks(postgres)
  if (server) {
    const children = readChildren(postgres).map((child) => readTicks(child)?.own ?? 0)
    const ticks = children.reduce((sum, one) => sum + one, server.own + server.of_ended_children)
    processes.set(postgres, ticks / TICKS_PER_SECOND)
  }
  for (const pid of others) {
    const ticks = readTicks(pid)
    if (ticks) processes.set(pid, ticks.own / TICKS_PER_SECOND)
  }
  let busy = 0
  let total = 0
  for (const { times } of cpus()) {
    const used = times.user + times.nice + times.sys + times.irq
    busy += used / 1000
    total += (used + times.idle) / 1000
  }
  return { processes, busy, total }
}

/** Reads the fields 14 to 17 of proc_pid_stat(5). */
function readTicks(pid: number): { own: number; of_ended_children: number } | undefined {
  const stat = readProc(`${pid}/stat`)
  if (stat === undefined) return undefined
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const field = (number: number) => Number(fields[number - 3])
  return { own: field(14) + field(15), of_ended_children: field(16) + field(17) }
}

const readChildren = (pid: number): number[] =>
  (readProc(`${pid}/task/${pid}/children`) ?? '').trim().split(' ').map(Number)

/** @returns the resident memory of a process in megabytes; NaN where it cannot be read */
export const residentMegabytes = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readProc(`${pid}/status`) ?? '')?.[1]) / 1024

function readProc(file: string): string | undefined {
  try {
    return readFileSync(`/proc/${file}`, 'utf8')
  } catch {
    return undefined
  }
}
