/** Push: applications, credentials, messages and their delivery to emulated phones. */
import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { startApns } from '../../emulators/apns/index.ts'
import { createAuthority } from '../../emulators/certificate.ts'
import { startFcm } from '../../emulators/fcm/index.ts'
import { createPushApp } from '../../emulators/push-app/index.ts'
import type { Mode } from '../../src/platform/owner.ts'
import { addPushApplication } from '../support/push-examples.ts'
import {
  expectAccessible,
  expectUsable,
  HOSTILE,
  type Organization,
  useConsole,
} from './harness.ts'

const authority = createAuthority()
const fcm = await startFcm({ port: 0, authority })
const apns = await startApns({ port: 0, authority, environment: 'production' })
const harness = useConsole({
  push_ca: authority.cert,
  settings: {
    VIGIL_FCM_URL: fcm.url,
    VIGIL_FCM_TOKEN_URL: fcm.token_url,
    VIGIL_APNS_URL: apns.url,
    VIGIL_PUSH_POLL_MS: '50',
    VIGIL_RATE_LIMIT_PUSH: '100000/10',
  },
})
afterAll(async () => await Promise.all([fcm.close(), apns.close()]))

type PushOrganization = Organization & { application_id: string; token: string }

async function createPushOrganization(
  options: { environment?: Mode; credentials?: boolean } = {},
): Promise<PushOrganization> {
  const { environment = 'live', credentials = true } = options
  const shop = await harness().createOrganization()
  const { org_id } = shop
  const { application_id } = await addPushApplication(harness(), org_id, environment)
  const token = await harness().signIn(org_id)
  if (credentials) {
    const { private_key: key, key_id, team_id } = apns.control.signingKey()
    const stored = harness().services.push.credentials
    const service_account = fcm.control.serviceAccount()
    await stored.set({ org_id, application_id, provider: 'fcm', service_account })
    await stored.set({ org_id, application_id, provider: 'apns', key, key_id, team_id })
  }
  return { ...shop, application_id, token }
}

async function install(shop: PushOrganization, platform: 'android' | 'ios', user?: string) {
  const { org_id, application_id, token: access_token } = shop
  const phone =
    platform === 'android'
      ? { platform, control: fcm.control }
      : { platform, control: apns.control }
  const app = createPushApp({
    service_url: harness().origin,
    access_token,
    org_id,
    application_id,
    phone,
  })
  await app.install()
  if (user !== undefined) {
    const { body } = await harness().post<{ identity_token: string }>(
      '/v1/push-sdk/identity-token',
      { application_id, external_user_id: user },
      { key: shop.keys.live_secret },
    )
    await app.signIn(body.content.identity_token)
  }
  return app
}

/** Sends from a backend. @returns the message ID */
async function send(shop: PushOrganization, message: object): Promise<string> {
  const { body } = await harness().call<{ message_id: string }>({
    method: 'POST',
    path: '/v1/push-sdk/messages',
    key: shop.keys.live_secret,
    headers: { 'idempotency-key': randomUUID() },
    body: { application_id: shop.application_id, all: true, ...message },
  })
  return body.content.message_id
}

const openAt = async (shop: PushOrganization, path = '') =>
  await harness().open(shop.owner, shop.org_id, `/push/${shop.application_id}${path}`)

const json = (value: unknown) => ({
  name: 'service-account.json',
  mimeType: 'application/json',
  buffer: Buffer.from(JSON.stringify(value)),
})

const valueOf = async (page: Page, label: string): Promise<string | null> =>
  await page.locator('.stat').filter({ hasText: label }).locator('.stat-value').textContent()

describe('an application', () => {
  it('is created, configured and tested, with a rejected credential and a valid one', async () => {
    const { page } = await harness().openNew('/push')
    await page.getByText('No applications for live data').waitFor()
    await expectUsable(page)
    await page.getByRole('button', { name: 'New application' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Shop for phones')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Create application' }).click()
    await page.getByRole('heading', { name: 'Shop for phones' }).waitFor()
    await page.getByText('Save the Android package name first').waitFor()

    await page.getByLabel('Android package name').fill('no package')
    await page.getByRole('button', { name: 'Save configuration' }).click()
    await page.getByText('android_package_name must be the application ID').first().waitFor()
    await page.getByLabel('Android package name').fill('com.example.app')
    await page.getByRole('button', { name: 'Save configuration' }).click()
    const file = page.getByLabel('Service account (JSON)')
    await file.setInputFiles({ ...json(''), buffer: Buffer.from('not json') })
    await page.getByText('This file is not valid JSON').waitFor()

    const good = fcm.control.serviceAccount()
    await file.setInputFiles(json({ ...good, client_email: 'nobody@example.test' }))
    await page.getByRole('button', { name: 'Store service account' }).click()
    await page.getByText('Stored, test required').waitFor()
    expect(await page.content()).not.toContain('PRIVATE KEY')

    const { token } = fcm.control.makePhone()
    await page.getByLabel('Push token').fill(token)
    await page.getByRole('button', { name: 'Send test' }).click()
    await page.getByText('Not accepted by FCM').waitFor()
    await page.getByText('FCM (Android) needs attention:').waitFor()
    await page.getByText('Fix the credential at the provider').waitFor()
    await expectUsable(page)

    await page.getByRole('button', { name: 'Replace' }).click()
    await file.setInputFiles(json(good))
    await page.getByRole('button', { name: 'Store service account' }).click()
    await page.getByText('Stored, test required').waitFor()
    await page.getByRole('button', { name: 'Send test' }).click()
    await page.getByText('Accepted by FCM').waitFor()
    await page.locator('.badge').getByText('Active', { exact: true }).first().waitFor()
  })

  it('takes an Apple key file, reads the key ID from its name, and removes it again', async () => {
    const shop = await createPushOrganization({ credentials: false })
    const page = await openAt(shop, '/setup')
    const { key_id, team_id, private_key } = apns.control.signingKey()
    const name = `AuthKey_${key_id}.p8`
    const buffer = Buffer.from(private_key)
    await page
      .getByLabel('Authentication key (.p8)')
      .setInputFiles({ name, mimeType: 'text/plain', buffer })
    await page.getByText(`${name} was read.`).waitFor()
    expect(await page.getByLabel('Key ID').inputValue()).toBe(key_id)
    await page.getByLabel('Team ID').fill('short')
    await page.getByRole('button', { name: 'Store key' }).click()
    await page.getByLabel('Team ID').and(page.locator('[aria-invalid=true]')).waitFor()
    await page.getByLabel('Team ID').fill(team_id)
    await page.getByRole('button', { name: 'Store key' }).click()
    await page.getByText('Stored, test required').waitFor()
    await page.getByRole('button', { name: 'Remove the credential of APNs' }).click()
    await page.getByRole('button', { name: 'Remove credential' }).click()
    await page.getByText('Credential deleted').waitFor()
  })

  it('takes the file that was selected last, or none', async () => {
    const shop = await createPushOrganization({ credentials: false })
    const page = await openAt(shop, '/setup')
    const file = page.getByLabel('Service account (JSON)')
    const store = page.getByRole('button', { name: 'Store service account' })
    const account = fcm.control.serviceAccount()
    await file.setInputFiles(json(account))
    await page.getByText('was read').waitFor()
    expect(await store.isEnabled()).toBe(true)
    const name = 'holiday.mov'
    await file.setInputFiles({ name, mimeType: 'video/mp4', buffer: Buffer.alloc(200_000) })
    await page.getByText('holiday.mov is too large').waitFor()
    expect(await store.isDisabled()).toBe(true)
    await file.setInputFiles(json(account))
    await store.click()
    await page.getByText('Stored, test required').waitFor()
  })

  it('is renamed, and deleted after its name is typed', async () => {
    const shop = await createPushOrganization({ credentials: false })
    const page = await openAt(shop, '/setup')
    await page.getByLabel('Application name').fill('Renamed')
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByRole('heading', { name: 'Renamed' }).waitFor()
    await page.getByRole('button', { name: 'Delete application' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox').fill('Renamed')
    await dialog.getByRole('button', { name: 'Delete application' }).click()
    await page.getByText('No applications for live data').waitFor()
  })
})

describe('a message', () => {
  it('is written, previewed and sent to a user, and shown as accepted, received and clicked', async () => {
    const shop = await createPushOrganization()
    const android = await install(shop, 'android', 'anna')
    const apple = await install(shop, 'ios', 'anna')
    await install(shop, 'android', 'ben')
    const page = await openAt(shop)
    await page.getByText('No messages yet').waitFor()
    await page.getByRole('link', { name: 'New message' }).click()
    await page.getByText('3 devices reachable now: 2 Android, 1 iOS').waitFor()
    await page.getByLabel('Target').selectOption('external_user_ids')
    await page.getByLabel('External user IDs').fill('anna\nnobody')
    await page.getByLabel('Title').fill('Your order is on its way')
    await page.getByLabel('Body').fill('Between 14:00 and 15:00.')
    await page.getByLabel('Deep link').fill('shop://orders/8841')
    await page.getByRole('button', { name: 'Add key' }).click()
    await page.getByLabel('Key 1', { exact: true }).fill('order_id')
    await page.getByLabel('Value 1').fill('8841')
    expect(await page.getByText('Your order is on its way').count()).toBe(2)
    await expectUsable(page)
    await page.getByRole('button', { name: 'Send…' }).click()
    await page.getByRole('dialog').getByText('the selected recipients').waitFor()
    await page.getByRole('button', { name: 'Send now' }).click()

    await page.getByText('Completed without failures').waitFor()
    expect(await valueOf(page, 'Accepted')).toBe('2')
    expect(await valueOf(page, 'Received')).toBe('0')
    const [onAndroid] = await android.open()
    expect(onAndroid).toMatchObject({
      title: 'Your order is on its way',
      deep_link: 'shop://orders/8841',
      data: { order_id: '8841' },
    })
    await apple.open(() => false)
    await vi.waitFor(async () => expect(await valueOf(page, 'Received')).toBe('2'), 15_000)
    expect(await valueOf(page, 'Clicked')).toBe('1')
    const recipients = page.getByRole('region', { name: 'Recipients' })
    await recipients.getByRole('cell', { name: 'accepted' }).nth(1).waitFor()
    await expectUsable(page)
    await page.getByLabel('Status').selectOption('failed')
    await page.getByText('No matching recipients').waitFor()
    expect(page.url()).toContain('status=failed')
  })

  it('that cannot be delivered is counted with its reason in words', async () => {
    const shop = await createPushOrganization()
    await install(shop, 'android')
    const gone = await install(shop, 'android')
    fcm.control.changePhone(gone.phoneId() ?? '', { is_registered: false })
    const id = await send(shop, { title: 'News' })
    const page = await openAt(shop, `/messages/${id}`)
    await page.getByText('Completed. Some recipients failed').waitFor()
    const failures = page.getByRole('region', { name: 'Failures by reason' })
    await failures.getByText('The app is no longer installed on this device').waitFor()
    await failures.getByText('UNREGISTERED').waitFor()
    await expectUsable(page)
    await page.getByRole('link', { name: 'Back to Messages' }).click()
    await page.getByRole('cell', { name: 'partially failed' }).waitFor()
    await expectUsable(page)
    await page.getByLabel('Status').selectOption('with_failures')
    await page.getByRole('link', { name: 'News' }).waitFor()
    await page.getByLabel('Status').selectOption('scheduled')
    await page.getByText('No matching messages').waitFor()

    await page.getByRole('link', { name: 'Subscriptions' }).click()
    await page.getByLabel('Reachable').selectOption('false')
    const subscriptions = page.getByRole('region', { name: 'Subscriptions' })
    await subscriptions.getByText('The app is no longer installed on this device').waitFor()
  })

  it('is scheduled, rescheduled and canceled', async () => {
    const shop = await createPushOrganization()
    await install(shop, 'android')
    const page = await openAt(shop, '/compose')
    await page.getByLabel('Title').fill('Open on Sunday')
    await page.getByLabel('Send', { exact: true }).selectOption('later')
    const day = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10)
    await page.getByLabel('Time', { exact: true }).fill(`${day}T09:30`)
    await page.getByText('Europe/Berlin').waitFor()
    await page.getByRole('button', { name: 'Schedule…' }).click()
    await page.getByRole('button', { name: 'Schedule', exact: true }).click()
    await page.getByText('Waiting for the scheduled time').waitFor()
    const shown = page.locator('main time').filter({ hasText: '09:30' }).first()
    const utc = new Date(await shown.getAttribute('datetime').then((text) => text ?? ''))
    expect(utc.toISOString()).not.toContain('T09:30')
    await expectUsable(page)

    await page.getByRole('button', { name: 'Reschedule' }).click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.getByLabel('Time').inputValue()).toBe(`${day}T09:30`)
    await dialog.getByLabel('Time').fill(`${day}T18:45`)
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Reschedule' }).click()
    await page.locator('main time').filter({ hasText: '18:45' }).first().waitFor()
    await page.getByRole('button', { name: 'Cancel message' }).click()
    await dialog.getByRole('button', { name: 'Cancel message' }).click()
    await page.getByText('Canceled by a member').waitFor()
    expect(await page.getByRole('button', { name: 'Reschedule' }).count()).toBe(0)
  })

  it('that cannot be sent shows an error at the field and keeps the draft', async () => {
    const shop = await createPushOrganization()
    const page = await openAt(shop, '/compose')
    await page.getByLabel('Title').fill('Too long')
    await page.getByLabel('Body').fill('x'.repeat(5000))
    await page.getByRole('button', { name: 'Send…' }).click()
    await page.getByRole('button', { name: 'Send now' }).click()
    await page.getByRole('dialog').getByRole('alert').getByText('too long').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await page.getByLabel('Body').and(page.locator('[aria-invalid=true]')).waitFor()
    expect(await page.getByLabel('Title').inputValue()).toBe('Too long')
  })
})

describe('a draft of a message', () => {
  it('cannot have duplicate keys and is shown in its writing direction', async () => {
    const shop = await createPushOrganization()
    const page = await openAt(shop, '/compose')
    await page.getByLabel('Title').fill('שלום 👩‍👩‍👧 Anna')
    const direction = `[...document.querySelectorAll('div')]
      .filter(({ textContent }) => textContent.startsWith('שלום'))
      .map((element) => getComputedStyle(element).direction)`
    expect(await page.evaluate(direction)).toEqual(['rtl', 'rtl'])
    for (const [index, value] of ['1', '2'].entries()) {
      await page.getByRole('button', { name: 'Add key' }).click()
      await page.getByLabel(`Key ${index + 1}`, { exact: true }).fill('order_id')
      await page.getByLabel(`Value ${index + 1}`, { exact: true }).fill(value)
    }
    await page.getByText('order_id is a duplicate key').waitFor()
    expect(await page.getByRole('button', { name: 'Send…' }).isDisabled()).toBe(true)
    await expectUsable(page)
    await page.getByLabel('Key 2', { exact: true }).fill('store')
    await page.getByRole('button', { name: 'Send…' }).click()
    await page.getByRole('dialog').getByText('To all devices of').waitFor()
  })
})

describe('a subscription', () => {
  it('is found by its user, tested and deleted', async () => {
    const shop = await createPushOrganization()
    const app = await install(shop, 'android', 'user/ä 1')
    await install(shop, 'android', 'ben')
    const page = await openAt(shop, '/subscriptions')
    const table = page.getByRole('region', { name: 'Subscriptions' })
    await table.getByText('ben').waitFor()
    await expectUsable(page)
    await page.getByLabel('External user ID').fill('user/ä 1')
    await table.getByText('user/ä 1').waitFor()
    await table.getByText('ben').waitFor({ state: 'detached' })
    await table.getByRole('link', { name: 'Test' }).click()
    expect(await page.getByLabel('Subscription ID').inputValue()).toBe(app.subscriptionId())
    await page.getByRole('button', { name: 'Send test' }).click()
    await page.getByText('Accepted by FCM').waitFor()
    await page.goBack()
    await page.getByRole('button', { name: `Delete ${app.subscriptionId()}` }).click()
    await page.getByRole('button', { name: 'Delete subscription' }).click()
    await page.getByText('No matching subscriptions').waitFor()
  })
})

describe('permissions and hostile texts', () => {
  it('members have a view without controls', async () => {
    const shop = await createPushOrganization()
    const member = await shop.join('member')
    const path = `/push/${shop.application_id}`
    const page = await harness().open(member, shop.org_id, '/push')
    await page.getByText('View only. Owners and admins can make changes').waitFor()
    expect(await page.getByRole('button', { name: 'New application' }).count()).toBe(0)
    await expectUsable(page)
    await page.getByRole('link', { name: 'Shop' }).first().click()
    await page.getByText('No messages yet').waitFor()
    expect(await page.getByRole('link', { name: 'New message' }).count()).toBe(0)
    await page.getByRole('link', { name: 'Setup' }).click()
    await page.getByText('View only. Owners and admins can change the setup').waitFor()
    expect(await page.getByRole('button', { name: /Save|Replace|Remove|Delete/ }).count()).toBe(0)
    await expectUsable(page)
    await page.goto(`${harness().origin}/console/o/${shop.org_id}${path}/compose`)
    await page.getByText('Only owners and admins can send messages here').waitFor()
  })

  it('an application of another organization is not found', async () => {
    const [mine, other] = [await createPushOrganization(), await createPushOrganization()]
    const path = `/push/${other.application_id}`
    const page = await harness().open(mine.owner, mine.org_id, path)
    await page.getByText('Not found').waitFor()
  })

  it('hostile texts are shown as text', async () => {
    const shop = await createPushOrganization()
    const [image, script, link, odd] = HOSTILE
    const app = await install(shop, 'android', script)
    const { applications } = harness().services.push
    await applications.rename(shop.org_id, shop.application_id, image)
    fcm.control.changePhone(app.phoneId() ?? '', { is_registered: false })
    const content = { title: script, body: odd, data: { [image]: script }, deep_link: link }
    const id = await send(shop, content)
    const page = await openAt(shop, `/messages/${id}`)
    await page.getByText('Completed. All recipients failed').waitFor()
    for (const text of [script, odd, link]) {
      await page.locator('main').getByText(text, { exact: true }).first().waitFor()
    }
    await page.getByRole('link', { name: 'Back to Messages' }).click()
    await page.getByRole('heading', { name: image }).waitFor()
    await page.getByRole('link', { name: script }).waitFor()
    await page.getByRole('link', { name: 'Subscriptions' }).click()
    await page.getByRole('region', { name: 'Subscriptions' }).getByText(script).waitFor()
    await page.getByRole('link', { name: 'New message' }).click()
    await page.getByLabel('Title').fill(image)
    await page.getByLabel('Body').fill(script)
    await page.locator('main').getByText(script, { exact: true }).first().waitFor()
    expect(await page.locator('img, main script').count()).toBe(0)
  })
})
