/** Finds and kills the processes that use a folder, through /proc. Linux only. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { dirname, isAbsolute } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export type Process = { pid: number; ppid: number; name: string; text: string }

/** Processes other than this one whose arguments, working folder or open files name the folder. */
export function processesOf(folder: string): Process[] {
  if (dirname(folder) === folder || !isAbsolute(folder)) throw new Error(`too wide: ${folder}`)
  return allProcesses().filter(({ pid, text }) => {
    if (pid === process.pid) return false
    return text.includes(folder) || placesOf(pid).some((place) => place.startsWith(folder))
  })
}

/** Processes that have ended and whose parent has not collected their status. */
export function zombies(): Process[] {
  return allProcesses().filter(({ pid }) => stateOf(pid) === 'Z')
}

export function killProcessesOf(folder: string, signal: NodeJS.Signals = 'SIGKILL'): void {
  for (const { pid } of processesOf(folder)) kill(pid, signal)
}

/** Kills the server and its children at the same time, as in a power cut. @returns their process ids */
export function killPostgres(folder: string): number[] {
  const killed = serversOf(folder)
  for (const pid of killed) kill(pid, 'SIGKILL')
  return killed
}

/** Resolves when the service has started another server, so that it is not ready because of the killed one. */
export async function untilRestarted(folder: string, killed: readonly number[]): Promise<void> {
  while (!serversOf(folder).some((pid) => !killed.includes(pid))) await sleep(50)
}

const serversOf = (folder: string): number[] =>
  processesOf(folder).flatMap(({ pid, name }) => (name === 'postgres' ? [pid] : []))

/** Kills the process of the embedded analytics engine, but not the shell that watches it. */
export function killEngine(folder: string): void {
  for (const { pid, name, text } of processesOf(folder)) {
    if (name !== 'sh' && text.includes(ENGINE_PROGRAM)) kill(pid, 'SIGKILL')
  }
}

const ENGINE_PROGRAM = 'clickhouse/embedded/child.js'

/** @throws Error without a process id, because 0 would address the process group of the tests */
export function kill(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined || !(pid > 1)) throw new Error(`no process to send ${signal} to: ${pid}`)
  try {
    process.kill(pid, signal)
  } catch {
    // The process has already ended.
  }
}

function allProcesses(): Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const stat = read(`/proc/${name}/stat`)
      const [, command = '', ppid = ''] = /^\d+ \((.*)\) \S (\d+)/s.exec(stat) ?? []
      if (stat === '') return []
      const text = read(`/proc/${name}/cmdline`).replaceAll('\0', ' ')
      return [{ pid: Number(name), ppid: Number(ppid), name: command, text: `${name} ${text}` }]
    })
}

const stateOf = (pid: number): string | undefined =>
  /^\d+ \(.*\) (\S)/s.exec(read(`/proc/${pid}/stat`))?.[1]

function placesOf(pid: number): string[] {
  try {
    const files = readdirSync(`/proc/${pid}/fd`).map((fd) => link(`/proc/${pid}/fd/${fd}`))
    return [link(`/proc/${pid}/cwd`), ...files]
  } catch {
    return []
  }
}

function link(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
