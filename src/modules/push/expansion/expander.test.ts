import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ownDatabase } from '../../../../test/database.ts'
import { addApplication, type TestApplication } from '../../../../test/support/push-fixtures.ts'
import {
  addSubscriptions,
  messageOf,
  recipientsOf,
} from '../../../../test/support/push-messages.ts'
import type { Dispatcher } from '../../../platform/dispatch/index.ts'
import { createLog } from '../../../platform/log.ts'
import { insertMessage } from '../messages/store.ts'
import { createExpander } from './expander.ts'

const db = ownDatabase()
const running: Dispatcher[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((expander) => expander.stop(1000)))
  await sql`truncate push_messages, push_recipients, push_batches`.execute(db)
})

function start() {
  const hints = { count: 0 }
  const hint = () => {
    hints.count += 1
  }
  const expander = createExpander({ db, log: createLog('silent'), hint, poll_ms: 10 })
  running.push(expander)
  expander.start()
  return { expander, hints }
}

async function addMessage({ org_id, application_id }: TestApplication, send_at?: Date) {
  const id = randomUUID()
  const to = { id, org_id, application_id, target: 'all' as const, target_ids: [], send_at }
  await insertMessage(db, { ...to, content: { title: 'Hello' }, give_up_seconds: 3600 })
  return id
}

const until = async (check: () => Promise<unknown>) => await vi.waitFor(check, { timeout: 10_000 })
const isExpanded = async (id: string) =>
  await until(async () => expect((await messageOf(db, id)).expand_at).toBeNull())

describe('the expander', () => {
  it('creates all recipients of due messages and reports that there are some', async () => {
    const app = await addApplication(db)
    await addSubscriptions(db, app, 12_000)
    const { hints } = start()
    const id = await addMessage(app)
    await isExpanded(id)
    expect(await recipientsOf(db, id)).toHaveLength(12_000)
    await until(() => Promise.resolve(expect(hints.count).toBe(3)))
  })

  it('does not expand a message before its time', async () => {
    const app = await addApplication(db)
    await addSubscriptions(db, app, 1)
    const later = await addMessage(app, new Date(Date.now() + 3_600_000))
    const now = await addMessage(app)
    start()
    await isExpanded(now)
    expect(await messageOf(db, later)).toMatchObject({ status: 'scheduled', recipients: 0 })
    await sql`update push_messages set expand_at = now() where id = ${later}`.execute(db)
    await isExpanded(later)
    expect(await messageOf(db, later)).toMatchObject({ status: 'sending', recipients: 1 })
  })

  it('creates every recipient once, next to other expanders', async () => {
    const app = await addApplication(db)
    const all = await addSubscriptions(db, app, 11_000)
    const ids = [await addMessage(app), await addMessage(app)]
    for (let count = 0; count < 3; count += 1) start()
    for (const id of ids) {
      await isExpanded(id)
      const created = (await recipientsOf(db, id)).map(({ subscription_id }) => subscription_id)
      expect(created).toEqual(all)
    }
  })

  it('postpones a message whose step fails, and continues with the others', async () => {
    const [bad, good] = [await addApplication(db), await addApplication(db)]
    const [first] = await addSubscriptions(db, bad, 1)
    await addSubscriptions(db, good, 1)
    const broken = await addMessage(bad)
    // Inserted in advance, so that the step fails with a conflict.
    await sql`
      insert into push_recipients (org_id, message_id, provider, subscription_id)
      values (${bad.org_id}, ${broken}, 'fcm', ${first})`.execute(db)
    start()
    await isExpanded(await addMessage(good))
    await until(async () => {
      const { expand_at, created_at } = await messageOf(db, broken)
      expect(expand_at?.getTime()).toBeGreaterThan(created_at.getTime() + 10_000)
    })
    await sql`delete from push_recipients where message_id = ${broken}`.execute(db)
    await sql`update push_messages set expand_at = now() where id = ${broken}`.execute(db)
    await isExpanded(broken)
    expect(await recipientsOf(db, broken)).toHaveLength(1)
  })
})
