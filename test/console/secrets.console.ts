/** Secrets that are shown once, or are new: their dialogs do not close by accident, and can be copied and stored. */
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { shownCode } from '../support/authenticator-app.ts'
import { expectUsable } from './harness.ts'
import { createManagedOrganization, useManagedDevices } from './managed-devices.ts'

const { harness, emulator } = useManagedDevices({ VIGIL_WEBHOOK_ALLOW: '127.0.0.1' })

const RECEIVER = 'https://127.0.0.1:5443/hook'

type Shop = Awaited<ReturnType<typeof createManagedOrganization>>
type Shown = {
  what: string
  /** Where the secret is created. */
  path: (shop: Shop) => string
  show: (page: Page, shop: Shop) => Promise<void>
  secret: RegExp
}

const click = async (page: Page, name: string) =>
  await page.getByRole('button', { name, exact: true }).click()
const inDialog = async (page: Page, name: string) =>
  await page.getByRole('dialog').getByRole('button', { name, exact: true }).click()

/** @returns the secret of the app */
async function setUpFactor(page: Page, password: string): Promise<string> {
  const dialog = page.getByRole('dialog')
  await click(page, 'Set up second factor')
  await dialog.getByLabel('Your password').fill(password)
  await inDialog(page, 'Continue')
  await dialog.getByRole('img', { name: /^QR code/ }).waitFor()
  const secret = (await dialog.locator('code').first().textContent()) ?? ''
  await dialog.getByLabel('Code', { exact: true }).fill(shownCode(secret))
  await inDialog(page, 'Turn on')
  return secret
}

const SECRETS: Record<string, Shown> = {
  'a new key': {
    what: 'key',
    path: () => '/developers/keys',
    show: async (page) => {
      await click(page, 'Create key')
      await inDialog(page, 'Create key')
    },
    secret: /^sk_test_\w+$/,
  },
  'a rolled key': {
    what: 'key',
    path: () => '/developers/keys?mode=test',
    show: async (page) => {
      await page.getByRole('button', { name: /^Roll sk_test_/ }).click()
      await inDialog(page, 'Roll key')
    },
    secret: /^sk_test_\w+$/,
  },
  'the secret of a webhook endpoint': {
    what: 'signing secret',
    path: () => '/webhooks/new',
    show: async (page) => {
      await page.getByLabel('URL').fill(RECEIVER)
      await page.getByRole('checkbox').first().check()
      await click(page, 'Create endpoint')
    },
    secret: /^whsec_\w+$/,
  },
  'the secret of a notification channel': {
    what: 'signing secret',
    path: () => '/notifications/channels',
    show: async (page) => {
      const dialog = page.getByRole('dialog')
      await click(page, 'Add a channel')
      await dialog.getByLabel('Kind').selectOption('webhook')
      await dialog.getByLabel('Name').fill('Receiver')
      await dialog.getByLabel('URL').fill(RECEIVER)
      await inDialog(page, 'Add channel')
    },
    secret: /^whsec_\w+$/,
  },
  'the link of an invitation': {
    what: 'link',
    path: () => '/organization',
    show: async (page) => {
      await click(page, 'Invite member')
      await page.getByRole('dialog').getByLabel('E-mail').fill('new@shop.example')
      await inDialog(page, 'Invite')
    },
    secret: /\/console\/invitation#vit_\S+$/,
  },
  'the link for a new password': {
    what: 'link',
    path: () => '/organization',
    show: async (page, shop) => {
      const { email } = await shop.join('member')
      await page.reload()
      await click(page, `New password for ${email}`)
      await inDialog(page, 'Create the link')
    },
    secret: /\/console\/reset#\S+$/,
  },
  'recovery codes': {
    what: 'recovery codes',
    path: () => '/profile',
    show: async (page, shop) => void (await setUpFactor(page, shop.owner.password)),
    secret: /^\S+(\n\S+){9}$/,
  },
  'new recovery codes': {
    what: 'recovery codes',
    path: () => '/profile',
    show: async (page, shop) => {
      const secret = await setUpFactor(page, shop.owner.password)
      await click(page, 'I have stored it')
      await click(page, 'New recovery codes')
      await page.getByRole('dialog').getByLabel('Code', { exact: true }).fill(shownCode(secret, 1))
      await inDialog(page, 'New recovery codes')
    },
    secret: /^\S+(\n\S+){9}$/,
  },
  'an enrollment token': {
    what: 'token',
    path: () => '/devices/tokens',
    show: async (page) => {
      await click(page, 'New token')
      await inDialog(page, 'Create token')
    },
    secret: /^\w+$/,
  },
}

it.each(Object.entries(SECRETS))('%s is not lost by accident', async (_, each) => {
  const shop = await createManagedOrganization(harness(), emulator())
  await shop.addPolicy()
  const page = await harness().open(shop.owner, shop.org_id, each.path(shop))
  await each.show(page, shop)
  const dialog = page.getByRole('dialog').filter({ hasText: `Copy this ${each.what} now` })
  await dialog.waitFor()
  const question = dialog.getByText(`Close without storing the ${each.what}?`)
  const secret = (await dialog.locator('code').first().textContent()) ?? ''
  expect(secret).toMatch(each.secret)
  await expectUsable(page)
  for (let press = 1; press <= 3; press += 1) {
    await page.keyboard.press('Escape')
    await question.waitFor()
  }
  await inDialog(page, 'Keep it open')
  await page.mouse.click(5, 5)
  await question.waitFor()
  await inDialog(page, 'Keep it open')
  await inDialog(page, 'Close')
  await question.waitFor()
  await inDialog(page, 'Keep it open')
  await inDialog(page, `Copy ${each.what}`)
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret)
  const downloaded = page.waitForEvent('download')
  await inDialog(page, 'Download')
  expect(readFileSync(await (await downloaded).path(), 'utf8')).toBe(`${secret}\n`)
  await page.keyboard.press('Escape')
  await inDialog(page, 'Close without storing it')
  await page.getByText('Close without storing').waitFor({ state: 'detached' })
})
