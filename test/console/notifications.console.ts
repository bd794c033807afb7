/** Notifications: channels, tests of them, and what was sent. */
import type { Page } from 'playwright-core'
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createAuthority } from '../../emulators/certificate.ts'
import { startPagerduty } from '../../emulators/pagerduty.ts'
import { type Receiver, startReceiver } from '../../emulators/receiver.ts'
import { startSlack } from '../../emulators/slack.ts'
import { startSmtp } from '../../emulators/smtp.ts'
import { notify } from '../../src/modules/notifications/index.ts'
import { addPushApplication } from '../support/push-examples.ts'
import { expectAccessible, expectUsable, HOSTILE, useConsole } from './harness.ts'

const authority = createAuthority()
const slack = await startSlack({ authority })
const pagerduty = await startPagerduty({ authority })
const receiver = await startReceiver({ authority })
const smtp = await startSmtp()
const WAIT = { timeout: 10_000 }
const harness = useConsole({
  webhook_ca: authority.cert,
  settings: {
    VIGIL_WEBHOOK_ALLOW: '127.0.0.1',
    VIGIL_SMTP_URL: smtp.url,
    VIGIL_SMTP_FROM: 'Vigil <vigil@example.com>',
  },
})
afterAll(async () => {
  await slack.close()
  await pagerduty.close()
  await receiver.close()
  await smtp.close()
})
beforeEach(() => slack.setScenario({}))

describe('a channel', () => {
  it('for Slack is added, tested, changed and deleted', async () => {
    const { page } = await harness().openNew('/notifications/channels')
    await page.getByText('No channels yet').waitFor()
    await expectUsable(page)
    await page.getByRole('button', { name: 'Add a channel' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Kind').selectOption('slack')
    await dialog.getByLabel('Name').fill(`Shop ${HOSTILE[0]}`)
    await dialog.getByLabel('URL').fill('https://10.0.0.1/services/T0')
    await dialog.getByRole('button', { name: 'Add channel' }).click()
    await dialog.getByRole('alert').first().waitFor()
    expect(await dialog.getByLabel('URL').getAttribute('aria-invalid')).toBe('true')
    await expectAccessible(page)
    await dialog.getByLabel('URL').fill(`${slack.url}/services/added`)
    await dialog.getByRole('button', { name: 'Add channel' }).click()
    await page.getByText('not verified').waitFor()

    await page.getByRole('button', { name: 'Send a test to Shop' }).click()
    await dialog.getByText('The message was accepted.').waitFor()
    const answer = dialog.getByRole('region', { name: 'Answer of the provider' })
    expect(await answer.textContent()).toBe('ok')
    expect(slack.received.map(({ path }) => path)).toContain('/services/added')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.getByText('verified', { exact: true }).waitFor()

    await page.getByRole('button', { name: 'Edit Shop' }).click()
    await dialog.getByLabel('Name').fill('Cash desk')
    await dialog.getByRole('button', { name: 'Save channel' }).click()
    await page.getByText('Cash desk', { exact: true }).waitFor()
    await expectUsable(page)

    await page.getByRole('link', { name: 'Messages of Cash desk' }).click()
    await page.getByText('Status 200: ok').waitFor()
    await expectUsable(page)
    await page.getByRole('link', { name: 'Channels' }).click()
    await page.getByRole('button', { name: 'Delete Cash desk' }).click()
    await dialog.getByRole('button', { name: 'Delete channel' }).click()
    await page.getByText('No channels yet').waitFor()
  })

  it('shows the answer of a provider that refuses a test, and fails', async () => {
    slack.setScenario({ paths: { '/services/gone': { status: 404, body: 'no_service' } } })
    const { page } = await harness().openNew('/notifications/channels')
    await page.getByRole('button', { name: 'Add a channel' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Kind').selectOption('slack')
    await dialog.getByLabel('Name').fill('Shop')
    await dialog.getByLabel('URL').fill(`${slack.url}/services/gone`)
    await dialog.getByRole('button', { name: 'Add channel' }).click()
    await page.getByRole('button', { name: 'Send a test to Shop' }).click()
    await dialog.getByText('The message was not accepted.').waitFor()
    await dialog.getByText('no_service').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.getByText('failing', { exact: true }).waitFor()
    await expectUsable(page)
  })

  it('for e-mail is added, tested and deleted', async () => {
    const { page } = await harness().openNew('/notifications/channels')
    await fillIn(page, 'email', { 'E-mail addresses': 'night@example.com\nday@example.com' })
    await submit(page)
    // The text of the answer is that of the mail server.
    expect(await answerToTest(page)).toMatch(/^250 /)
    const mails = smtp.received.filter(({ to }) => to.includes('night@example.com'))
    expect(mails).toHaveLength(1)
    expect(mails[0]?.to).toContain('day@example.com')
    expect(mails[0]?.raw).toContain('Test of the channel "Cash desk"')
    await deleteChannel(page)
  })

  it('for Teams is added, tested and deleted', async () => {
    // A workflow answers so; the emulator of Slack takes its messages too.
    const body = 'Workflow started.'
    slack.setScenario({ paths: { '/workflows/1': { status: 202, body } } })
    const { page } = await harness().openNew('/notifications/channels')
    await fillIn(page, 'teams', { URL: `${slack.url}/workflows/1` })
    await submit(page)
    expect(await answerToTest(page)).toBe(body)
    const [card] = sentTo(slack, '/workflows/1')
    expect(card).toMatchObject({ type: 'message', attachments: [{ content: {} }] })
    await deleteChannel(page)
  })

  it('for PagerDuty is added, tested and deleted', async () => {
    const { page } = await harness().openNew('/notifications/channels')
    const routing_key = 'R0UT1NGK3Y00000000000000000000AB'
    const URL = `${pagerduty.url}/v2/enqueue`
    await fillIn(page, 'pagerduty', { 'Routing key': routing_key, URL })
    await submit(page)
    const answer = JSON.parse((await answerToTest(page)) ?? '') as { dedup_key: string }
    const { dedup_key } = answer
    expect(answer).toEqual({ status: 'success', message: 'Event processed', dedup_key })
    expect(sentTo(pagerduty, '/v2/enqueue')).toMatchObject([
      { routing_key, dedup_key, event_action: 'trigger' },
    ])
    expect(await page.content()).not.toContain(routing_key)
    await deleteChannel(page)
  })

  it('for a webhook shows its signing secret once, is tested with it, and deleted', async () => {
    const { page } = await harness().openNew('/notifications/channels')
    await fillIn(page, 'webhook', { URL: `${receiver.url}/hook` })
    await page.getByRole('dialog').getByRole('button', { name: 'Add channel' }).click()
    const secret = (await page.getByText(/^whsec_\w+$/).textContent()) ?? ''
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await page.getByText('not verified').waitFor()
    expect(await page.content()).not.toContain(secret)
    receiver.setScenario({ paths: { '/hook': { secrets: [secret] } } })
    expect(JSON.parse((await answerToTest(page)) ?? '')).toMatchObject({ signature: 'valid' })
    expect(sentTo(receiver, '/hook')).toMatchObject([
      { data: { notifications: [{ step: 'test' }] } },
    ])
    await deleteChannel(page)
  })

  it('for push is added, tested and deleted', async () => {
    const shop = await harness().createOrganization()
    const { application_id } = await addPushApplication(harness(), shop.org_id, 'live')
    const page = await harness().open(shop.owner, shop.org_id, '/notifications/channels')
    await fillIn(page, 'push', { 'External user IDs': 'ann\nbob' }, application_id)
    await submit(page)
    const answer = (await answerToTest(page)) ?? ''
    const id = /^Push message ([-0-9a-f]{36})$/.exec(answer)?.[1] ?? ''
    const [message] = await harness()
      .stores.db.selectFrom('push_messages')
      .selectAll()
      .where('org_id', '=', shop.org_id)
      .execute()
    expect(message).toMatchObject({ id, application_id })
    await deleteChannel(page)
  })
})

/** Opens the form of a new channel, and fills it in. */
async function fillIn(
  page: Page,
  kind: string,
  values: Readonly<Record<string, string>>,
  application?: string,
): Promise<void> {
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Add a channel' }).click()
  await dialog.getByLabel('Kind').selectOption(kind)
  await dialog.getByLabel('Name').fill('Cash desk')
  if (application) await dialog.getByLabel('Application').selectOption(application)
  for (const [label, value] of Object.entries(values)) await dialog.getByLabel(label).fill(value)
  await expectAccessible(page)
}

async function submit(page: Page): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name: 'Add channel' }).click()
  await page.getByText('not verified').waitFor()
}

/** Sends a test. @returns the answer of the provider, as the page shows it */
async function answerToTest(page: Page): Promise<string | null> {
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Send a test to Cash desk' }).click()
  await dialog.getByText('The message was accepted.').waitFor()
  const answer = await dialog.getByRole('region', { name: 'Answer of the provider' }).textContent()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await page.getByText('verified', { exact: true }).waitFor()
  await expectUsable(page)
  return answer
}

async function deleteChannel(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Delete Cash desk' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete channel' }).click()
  await page.getByText('No channels yet').waitFor()
}

/** Bodies that an emulator got at a path. */
const sentTo = ({ received }: Receiver, path: string): unknown[] =>
  received.filter((each) => each.path === path).map(({ body }): unknown => JSON.parse(body))

it('a route leads a subject to a channel, is muted, and is deleted', async () => {
  const shop = await harness().createOrganization()
  const token = await harness().signIn(shop.org_id)
  await harness().post(
    '/console/api/notifications/channels',
    { org_id: shop.org_id, kind: 'slack', name: 'Shop', url: slack.url },
    { token },
  )
  const page = await harness().open(shop.owner, shop.org_id, '/notifications/routes')
  await page.getByText('No routes yet').waitFor()
  await page.getByRole('button', { name: 'Add a route' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Subject').selectOption('credits_low')
  await dialog.getByLabel('Shop').check()
  await dialog.getByLabel('Quiet hours from').fill('22:00')
  await dialog.getByLabel('Quiet hours until').fill('07:00')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Save route' }).click()
  await page.getByText('22:00 to 07:00 (Europe/Berlin)').waitFor()
  await page.getByRole('cell', { name: 'Shop', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Mute Credits that run low' }).click()
  await dialog.getByRole('button', { name: 'Mute route' }).click()
  await page.getByText('muted', { exact: true }).waitFor()
  await expectUsable(page)
  await page.getByRole('button', { name: 'Unmute Credits that run low' }).click()
  await page.getByRole('button', { name: 'Mute Credits that run low', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Delete Credits that run low' }).click()
  await dialog.getByRole('button', { name: 'Delete route' }).click()
  await page.getByText('No routes yet').waitFor()
})

it('a member acknowledges a notification that lasts', async () => {
  const shop = await harness().createOrganization()
  await notify(harness().stores.db, [
    {
      org_id: shop.org_id,
      subject: 'log_alert',
      key: 'a rule',
      severity: 'critical',
      is_lasting: true,
      title: HOSTILE[1],
      link: '/logs/alerts',
      started_at: new Date(),
    },
  ])
  const member = await shop.join('member')
  const page = await harness().open(member, shop.org_id, '/notifications')
  await page.getByLabel('Only what lasts').check()
  await page.getByRole('cell', { name: 'lasts', exact: true }).waitFor()
  await expectUsable(page)
  await page.getByRole('button', { name: 'Acknowledge' }).click()
  await page.getByText(member.email).nth(1).waitFor()
  expect(await page.getByRole('button', { name: 'Acknowledge' }).count()).toBe(0)
})

it('what is not acknowledged is counted in the title, the menu and on Home, and leads to the list', async () => {
  const shop = await harness().createOrganization()
  await notify(
    harness().stores.db,
    ['one', 'two'].map((key) => ({
      org_id: shop.org_id,
      subject: 'log_alert' as const,
      key,
      severity: 'critical' as const,
      is_lasting: true,
      title: `Alert ${key}`,
      link: '/logs/alerts?new=1',
      started_at: new Date(),
    })),
  )
  const page = await harness().open(shop.owner, shop.org_id)
  await page.getByRole('link', { name: 'Notifications 2 not acknowledged' }).waitFor()
  await vi.waitFor(async () => expect(await page.title()).toBe('(2) Home · Vigil'), WAIT)
  await expectUsable(page)
  await page.getByRole('link', { name: '2 notifications not acknowledged' }).click()
  await page.getByRole('button', { name: 'Acknowledge Alert one' }).click()
  await page.getByRole('link', { name: 'Notifications 1 not acknowledged' }).waitFor()
  await vi.waitFor(async () => expect(await page.title()).toBe('(1) Notifications · Vigil'), WAIT)
  await page.getByRole('link', { name: 'Alert two' }).click()
  await page.waitForURL(/\/logs\/alerts\?new=1$/)
})

it('a member chooses what is sent to the own address', async () => {
  const shop = await harness().createOrganization()
  const member = await shop.join('member')
  const page = await harness().open(member, shop.org_id, '/notifications/mine')
  await page.getByText(`What is sent to you, to ${member.email}`).waitFor()
  const others = page.getByLabel('From severity: All other subjects')
  const cases = page.getByLabel('From severity: Critical cases')
  expect([await others.inputValue(), await cases.inputValue()]).toEqual(['off', ''])
  await expectUsable(page)
  await cases.selectOption('critical only')
  await page.getByText('Choice saved').waitFor()
  await page.reload()
  await vi.waitFor(async () => expect(await cases.inputValue()).toBe('critical'), WAIT)
  await cases.selectOption('off')
  await page.getByText('Choice saved').waitFor()
  await page.reload()
  await vi.waitFor(async () => expect(await cases.inputValue()).toBe('off'), WAIT)
})

it('members see channels and cannot change them', async () => {
  const shop = await harness().createOrganization()
  const member = await shop.join('member')
  const page = await harness().open(member, shop.org_id, '/notifications/channels')
  await page.getByText('Owners and admins can add channels.').waitFor()
  expect(await page.getByRole('button', { name: 'Add a channel' }).count()).toBe(0)
})
