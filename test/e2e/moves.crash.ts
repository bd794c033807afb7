/**
 * An organization moves between cells under load, and the move is killed with `kill -9` at any moment: every
 * acknowledged check is in exactly one cell, with its price and its event exactly once. `E2E_ROUNDS` sets the number
 * of kills.
 */
import { describe, expect, it } from 'vitest'
import { readBooks } from './books.ts'
import { sendCheck, startLoad } from './load.ts'
import { isLinux, launch, pause, type RunOptions, run, runJson, serve, useRoom } from './program.ts'
import { ROUND_TIMEOUT_MS, ROUNDS, untilAnyInstant, untilPosted } from './rounds.ts'

const createRoom = useRoom()
const PAUSE_MAX_MS = 3000

describe.skipIf(!isLinux)('an organization that moves under load', () => {
  it('loses and doubles nothing when the move is killed, and completes when it is started again', {
    timeout: (2 * ROUNDS + 2) * ROUND_TIMEOUT_MS,
  }, async () => {
    const env = { VIGIL_BILLING_INTERVAL_SECONDS: '1' }
    const options: RunOptions = { cwd: createRoom().folder, env }
    const first = await serve(options)
    const { org_id = '', keys } = first.ready.first_run ?? {}
    const key = keys?.live_secret ?? ''
    await runJson(['cell', 'add', 'east', '--schema', 'east'], options)
    await first.stop()
    const service = await serve(options)
    const target = { url: service.ready.url, key }
    await runJson(['cell', 'drain', 'east', '--undo'], options)

    const acknowledged = new Map<string, string>()
    let cell = 'main'
    for (let round = 0; round < ROUNDS; round += 1) {
      const to = cell === 'main' ? 'east' : 'main'
      const load = startLoad(target, `round-${round}`)
      await untilAnyInstant()
      await killMove(['org', 'move', org_id, '--to', to], options)
      // Requests are served between the kill and the next attempt, too.
      await untilAnyInstant()
      expect(await untilMoved(org_id, to, options)).toBe(to)
      await untilAnyInstant()
      await load.stop()
      for (const [eventId, checkId] of load.acknowledged) acknowledged.set(eventId, checkId)
      for (const open of load.open) {
        const id = await sendCheck(target, open)
        expect(id).toBeDefined()
        acknowledged.set(open.event_id, id ?? '')
      }
      cell = to
    }

    await untilPosted(org_id, options)
    expect(await runJson(['credits', 'balance', '--org', org_id], options)).toMatchObject({
      ledger_difference: 0,
      usage_difference: 0,
      posted_usage_credits: acknowledged.size,
    })
    expect((await service.stop()).status).toBe(0)
    const { data_dir } = service.ready
    const schemaOf = (name: string) => (name === 'main' ? undefined : name)
    const none = { wrong_checks: [], wrong_usage: [], wrong_events: [], orphans: 0 }
    const other = cell === 'main' ? 'east' : 'main'
    expect(acknowledged.size).toBeGreaterThan(ROUNDS)
    expect(await readBooks(data_dir, acknowledged, schemaOf(cell))).toEqual({
      checks: acknowledged.size,
      ...none,
    })
    expect(await readBooks(data_dir, new Map(), schemaOf(other))).toEqual({ checks: 0, ...none })
  })
})

/** Kills the command at a random time after its first step, or lets it end. */
async function killMove(args: string[], options: RunOptions): Promise<void> {
  const running = launch([...args, '--settle', '5'], options)
  const { child } = running
  const hasBegun = () => running.stderr().includes('Recording writes') || child.exitCode !== null
  while (!hasBegun()) await pause(5)
  await pause(Math.random() * PAUSE_MAX_MS)
  child.kill('SIGKILL')
  await running.ended
}

/** The server may still complete a statement of the killed process. */
async function untilMoved(orgId: string, to: string, options: RunOptions): Promise<string> {
  const args = ['org', 'move', orgId, '--to', to, '--settle', '5', '--json']
  const { stdout, stderr } = await run(args, options)
  const { cell, error } = JSON.parse(stdout) as { cell?: string; error?: string }
  return cell ?? error ?? stderr
}
