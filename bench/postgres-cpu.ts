/** Processor time of a PostgreSQL server with all its processes, as Linux accounts for it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const TICKS_PER_SECOND = 100

/** @returns seconds since the server started; undefined where the system does not tell */
export function postgresCpuSeconds(cluster: string): number | undefined {
  try {
    const pid = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')[0] ?? ''
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
    const [own, ended] = ticksOf(pid)
    let ticks = own + ended
    for (const child of children) ticks += ticksOf(child)[0]
    return ticks / TICKS_PER_SECOND
  } catch {
    return undefined
  }
}

/** Own time, and that of children that have ended (proc_pid_stat(5), fields 14 to 17). */
function ticksOf(pid: string): [number, number] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const field = (number: number) => Number(fields[number - 3])
  return [field(14) + field(15), field(16) + field(17)]
}
