/**
 * A whole system under a constant load for `SOAK_MINUTES` (20): everything acknowledged is found once, and processes
 * do not need more memory at the end than after the first third.
 */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { readAccounts } from './chaos-books.ts'
import { useSystem } from './chaos-system.ts'
import { startLoad } from './load.ts'
import { isLinux, pause } from './program.ts'

const MINUTES = Number(process.env['SOAK_MINUTES'] ?? '20')
const SAMPLES = 30
const REST_MS = 300_000
/** Heaps grow until they are collected, so a process may need this much more. */
const GROWTH_MAX = 1.3

const newSystem = useSystem()

/** Resident memory in megabytes. */
function memoryOf(pid: number): number {
  const [, kilobytes = '0'] =
    /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Math.round(Number(kilobytes) / 1024)
}

it.skipIf(!isLinux)(
  'needs no more memory after a while',
  {
    timeout: MINUTES * 60_000 + REST_MS,
  },
  async () => {
    const system = await newSystem()
    const processes = [...system.apis, ...system.workers]
    const loads = system.apis.map(({ ready }, index) =>
      startLoad({ url: ready.url, key: system.keys.live }, `soak-${index}`),
    )
    const samples: number[][] = []
    while (samples.length < SAMPLES) {
      await pause((MINUTES * 60_000) / SAMPLES)
      samples.push(processes.map(({ pid }) => memoryOf(pid)))
      process.stdout.write(`MB of each process: ${samples.at(-1)?.join(' ')}\n`)
    }
    await Promise.all(loads.map(async (load) => await load.stop()))
    await system.stop()
    const checks = new Map(loads.flatMap(({ acknowledged }) => [...acknowledged]))
    const accounts = await readAccounts(system.data_dir, { checks, orders: new Map() })
    const { acknowledged, found, lost, doubled } = accounts.checks
    process.stdout.write(`checks: ${acknowledged} acknowledged, ${found} found\n`)
    expect({ lost, doubled, open: loads.flatMap(({ open }) => open) }).toEqual({
      lost: [],
      doubled: [],
      open: [],
    })
    const highest = (part: number[][], index: number) =>
      Math.max(...part.map((all) => all[index] ?? 0))
    for (const index of processes.keys()) {
      const early = highest(samples.slice(0, SAMPLES / 3), index)
      expect(highest(samples.slice(-SAMPLES / 3), index)).toBeLessThan(early * GROWTH_MAX)
    }
  },
)
