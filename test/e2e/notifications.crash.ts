/**
 * Every acknowledged cause is notified to every channel, although the service is killed with `kill -9` at random
 * times. No channel is notified of anything under two ids, so repetitions of a message have its id.
 * `E2E_ROUNDS` sets how many times the service is killed.
 */
import { describe, expect, it } from 'vitest'
import { findingsOf } from './books.ts'
import { startClients } from './load.ts'
import { endHolds, endLeases, isAllNotified, readNotificationAudit } from './notification-audit.ts'
import { startNotificationReceivers } from './notification-channels.ts'
import { addFiringRules, type Causes, startCauses } from './notification-load.ts'
import { createRoom, isLinux, pause, waitFor } from './program.ts'
import { drain, ROUND_TIMEOUT_MS, ROUNDS, startServices, theService } from './rounds.ts'

const SETTINGS = {
  VIGIL_RATE_LIMIT_CONSOLE: '1000000/1',
  VIGIL_ACCESS_TOKEN_MINUTES: '1440',
  VIGIL_EDGE_ALERTS_MAX: '1000',
  // As short as possible, so that kills hit all steps between a cause and its message.
  VIGIL_NOTIFICATION_WATCH_SECONDS: '1',
  VIGIL_NOTIFICATION_POLL_MS: '50',
}
const DRAIN_MS = 120_000
const RULES_PER_ROUND = 8
/** Arrivals and causes in each round before the kill, however busy the machine is. */
const WARM = 2
/** Longer than the interval of the watch, so that kills hit it and the messages that come of it. */
const SPREAD_MS = 2000
/** Interval at which messages stop waiting for others. */
const HOLD_MS = 200

describe.skipIf(!isLinux)('when the service is killed while notifications are sent', () => {
  it('every acknowledged cause arrives at every channel, under one id', {
    timeout: ROUNDS * ROUND_TIMEOUT_MS + DRAIN_MS,
  }, async ({ onTestFinished }) => {
    const room = createRoom()
    const receivers = await startNotificationReceivers(room.folder)
    onTestFinished(() => receivers.close())
    onTestFinished(() => room.close())
    const { webhooks, mails } = receivers
    const options = { cwd: room.folder, env: { ...SETTINGS, ...receivers.env } }
    const { url, data_dir, member, ...started } = await startServices(options, theService)
    let { services } = started
    const channels = await receivers.setUp(url, member)
    const rules = await addFiringRules({ url, data_dir }, member, ROUNDS * RULES_PER_ROUND)
    const causes: Causes = { rolls: [], deleted: [], rules }
    const kills: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const progress = () => ({
        arrived: webhooks.length + mails.length,
        rolled: causes.rolls.length,
        deleted: causes.deleted.length,
      })
      const before = progress()
      const load = startCauses(services[0].ready.url, member, causes, RULES_PER_ROUND)
      const holds = startClients(1, async () => {
        await endHolds(data_dir)
        await pause(HOLD_MS)
        return true
      })
      await waitFor(services[0], () => {
        const { arrived, rolled, deleted } = progress()
        const counts = [arrived - before.arrived, rolled - before.rolled, deleted - before.deleted]
        return Math.min(...counts) >= WARM ? true : undefined
      })
      await pause(Math.random() * SPREAD_MS)
      const stop = async () => {
        kills.push(Date.now())
        await Promise.all([load.stop(), holds.stop()])
        await endLeases(data_dir)
      }
      services = await theService.kill({ options, services, load: { stop } })
    }

    const isDone = async () => {
      await endHolds(data_dir)
      return await isAllNotified(data_dir)
    }
    await drain(isDone, DRAIN_MS)
    for (const one of services) expect((await one.stop()).status).toBe(0)
    const evidence = { channels, causes, receivers, kills }
    const { audit, counts } = await readNotificationAudit(data_dir, evidence)
    const { rolls, deleted } = causes
    process.stdout.write(
      `${ROUNDS} kills: ${rolls.length} keys rolled and ${deleted.length} firing rules deleted, ${counts.messages} messages, ${counts.repeated} repeated\n`,
    )
    expect(findingsOf(audit)).toEqual({})
    expect(counts.messages).toBeGreaterThanOrEqual(ROUNDS * channels.length)
  })
})
