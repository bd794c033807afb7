/** The processes of a service with a supervisor. Linux only. */
import { dirname } from 'node:path'
import { kill, type Process, processesOf } from './processes.ts'
import { pause, type Service } from './program.ts'

const PROGRAM = 'serve-process'
const POLL_MS = 10
const READY_LINE = /"msg":"the process was replaced"/g

export const membersOf = (service: Service): Process[] =>
  processesOf(dirname(service.ready.data_dir)).filter(
    ({ ppid, text }) => ppid === service.pid && text.includes(PROGRAM),
  )

const replacements = (service: Service): number => [...service.stderr().matchAll(READY_LINE)].length

/** Kills a process and waits until another one has taken its place. */
export async function killMember(service: Service, victim: Process | undefined): Promise<void> {
  const before = replacements(service)
  kill(victim?.pid, 'SIGKILL')
  while (replacements(service) === before) await pause(POLL_MS)
}
