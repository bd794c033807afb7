/**
 * Notifications in a browser: the page registers the worker and subscribes, and the service reaches it. A headless
 * browser allows no notifications and knows no push service, so both are those of the test.
 */
import { expect, it, onTestFinished } from 'vitest'
import { createAuthority } from '../../emulators/certificate.ts'
import { startPushService } from '../../emulators/web-push.ts'
import { expectUsable, useConsole } from './harness.ts'

const authority = createAuthority()
const harness = useConsole({
  settings: { VIGIL_WEBHOOK_ALLOW: '127.0.0.1,::1' },
  webhook_ca: authority.cert,
})

const FAKED = `
  Object.defineProperty(Notification, 'permission', { value: 'granted' })
  Notification.requestPermission = async () => 'granted'
  let shown = null
  PushManager.prototype.getSubscription = async () => shown
  PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
    const { endpoint, ...keys } = await window.subscribeAt(applicationServerKey)
    shown = { endpoint, toJSON: () => ({ endpoint, keys }), unsubscribe: async () => (shown = null) }
    return shown
  }`

it('a person turns notifications on in a browser, tests them, and turns them off', async () => {
  const service = await startPushService({ authority })
  onTestFinished(service.close)
  const { org_id, owner } = await harness().createOrganization()
  const page = await harness().open(owner, org_id, '/notifications/mine')
  await page.exposeFunction('subscribeAt', service.subscribe)
  await page.addInitScript(FAKED)
  await page.reload()
  await page.getByRole('button', { name: 'Notify me in this browser' }).click()
  await page.getByText('(this browser)').waitFor()
  await expectUsable(page)
  const workers = `navigator.serviceWorker.getRegistrations().then((all) =>
    all.map(({ scope, active }) => new URL(scope).pathname + ' ' + new URL(active.scriptURL).pathname))`
  expect(await page.evaluate(workers)).toEqual([`/console/o/${org_id} /console/worker.js`])
  await page.getByRole('button', { name: /^Test / }).click()
  await page.getByText(/^A test was sent to /).waitFor()
  expect(service.received).toHaveLength(1)
  await page.getByRole('button', { name: /^Remove / }).click()
  await page.getByRole('button', { name: 'Notify me in this browser' }).waitFor()
  await expect.poll(async () => await page.evaluate(workers)).toEqual([])
})
