/** A launch: more apps register together than a process lets wait. */
import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { useHarness } from '../../../../test/harness.ts'
import { addPushApplication } from '../../../../test/support/push-examples.ts'
import { newFcmToken } from '../../../../test/support/push-fixtures.ts'
import { AppError } from '../../../platform/http/errors.ts'
import type { Registration } from './registration.ts'
import { createRegistrations } from './registrations.ts'

const harness = useHarness()
const APPS = 12_000
/** 5,000 that wait (OP-159). */
const ACCEPTED_MAX = 5000

it('keeps a bounded number waiting, and refuses the others with the time after which they are accepted', async () => {
  const { org_id } = await harness().createTenant()
  const { application_id } = await addPushApplication(harness(), org_id)
  const { db, clock, newId } = harness().core
  const registrations = createRegistrations({ db, clock, push_registrations_per_day: APPS })
  const apps = Array.from(
    { length: APPS },
    (): Registration => ({
      kind: 'register',
      org_id,
      application_id,
      mode: 'live',
      key_id: randomUUID(),
      provider: 'fcm',
      token: newFcmToken(),
      registration_id: randomUUID(),
      new_id: newId(clock.now()),
      changes: {},
    }),
  )
  /** @returns the apps that were refused, which try again as the SDK does */
  const registerAll = async (waiting: readonly Registration[]): Promise<Registration[]> => {
    const outcomes = await Promise.allSettled(waiting.map(registrations.submit))
    return waiting.filter((_, index) => {
      const outcome = outcomes[index]
      if (outcome?.status !== 'rejected') return false
      const reason: unknown = outcome.reason
      if (!(reason instanceof AppError)) throw reason
      expect(reason.status).toBe(429)
      expect(reason.body.content?.['retry_after']).toBe(5)
      return true
    })
  }
  let refused = await registerAll(apps)
  expect(APPS - refused.length).toBe(ACCEPTED_MAX)
  while (refused.length > 0) refused = await registerAll(refused)
  const { count } = await db
    .selectFrom('push_subscriptions')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('application_id', '=', application_id)
    .executeTakeFirstOrThrow()
  expect(count).toBe(APPS)
})
