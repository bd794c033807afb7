/** Managed devices, from the enterprise sign-up to wiping a device. */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { Token } from '../../src/modules/mdm/tokens/schema.ts'
import { expectUsable, HOSTILE } from './harness.ts'
import { createManagedOrganization, readQrCode, useManagedDevices } from './managed-devices.ts'

const { harness, emulator } = useManagedDevices()
const managedOrganization = async () => await createManagedOrganization(harness(), emulator())

const editor = (page: Page) => page.getByLabel('policy_json')

describe('the sign-up for an enterprise', () => {
  it('leads to Google and back and shows its progress', async () => {
    const { org_id, page } = await harness().openNew('/devices')
    await page.getByText('No enterprise yet').waitFor()
    await expectUsable(page)
    await page.getByRole('link', { name: 'Sign up for an enterprise' }).click()
    await page.getByText('An emulator replaces Google').waitFor()
    await expectUsable(page)
    await page.getByRole('button', { name: 'Start sign-up' }).click()
    const leave = page.getByRole('link', { name: /^Go to 127/ })
    await leave.waitFor()
    await page.reload()
    await leave.waitFor()
    await expectUsable(page)
    await leave.click()
    await page.getByLabel('Name of the organization').fill(HOSTILE[0])
    await page.getByRole('button', { name: 'Agree and return' }).click()
    await page
      .getByRole('heading', { name: 'Enterprise (completed)' })
      .or(page.getByText('An organization has one enterprise'))
      .first()
      .waitFor()
    expect(page.url()).not.toContain('enterpriseToken')
    await page.getByText(HOSTILE[0]).first().waitFor()
    await expectUsable(page)
    await page.goto(`${harness().origin}/console/o/${org_id}/devices`)
    await page.getByText(/enterprises\/LC/).waitFor()
  })

  it('ignores a token for a sign-up of another browser', async () => {
    const { org_id, owner } = await harness().createOrganization()
    const query = 'enterpriseToken=EEforeign&state=other'
    const page = await harness().open(owner, org_id, `/devices/sign-up?${query}`)
    await page.getByText('does not belong to a sign-up that was started in this browser').waitFor()
    expect(page.url()).not.toContain('enterpriseToken')
    await page.getByRole('button', { name: 'Start sign-up' }).waitFor()
  })

  it('explains a rejection and can be started over', async () => {
    const { org_id, page } = await harness().openNew('/devices/sign-up')
    await page.getByRole('button', { name: 'Start sign-up' }).click()
    await page.getByRole('link', { name: /^Go to 127/ }).waitFor()
    const state = await page.evaluate<string>(
      `JSON.parse(localStorage.getItem('vigil:enterprise-sign-up')).state`,
    )
    const path = `/console/o/${org_id}/devices/sign-up?enterpriseToken=EEwrong&state=${state}`
    await page.goto(harness().origin + path)
    await page.getByRole('alert').getByText('enterprise token is not valid').waitFor()
    await expectUsable(page)
    await page.getByRole('button', { name: 'Start over' }).click()
    await page.getByRole('link', { name: /^Go to 127/ }).waitFor()
  })
})

describe('a policy', () => {
  it('is edited with errors in place, compared, saved and published', async () => {
    const shop = await managedOrganization()
    const page = await harness().open(shop.owner, shop.org_id, '/devices/policies')
    await page.getByText('No policies yet').waitFor()
    await page.getByRole('link', { name: 'New policy' }).click()
    await page.getByLabel('Name').fill('POS')
    await expectUsable(page)
    await page.getByRole('button', { name: 'Create policy' }).click()
    await page.getByText('No errors').waitFor()
    const text = await editor(page).inputValue()

    await editor(page).fill(
      text.replace('"playStoreMode": "BLACKLIST"', '"playStoreMode": "BLACK"'),
    )
    const line = text.split('\n').findIndex((each) => each.includes('playStoreMode')) + 1
    const fault = page.getByRole('button', { name: `Line ${line} policy_json.playStoreMode` })
    await fault.waitFor()
    await expectUsable(page)
    await fault.click()
    const selected = await page.evaluate<string>(`(() => {
      const { value, selectionStart, selectionEnd } = document.activeElement
      return value.slice(selectionStart, selectionEnd)
    })()`)
    expect(selected).toContain('"playStoreMode": "BLACK"')
    expect(await page.getByRole('button', { name: 'Review and save' }).isDisabled()).toBe(true)

    await editor(page).fill(`${text.slice(0, -2)}\n  "cameraDisabled": true\n}`)
    await page.getByText('Expected a comma').waitFor()
    await editor(page).fill(`${text.slice(0, -2)},\n  "cameraDisabled": true\n}`)
    await page.getByText('No errors').waitFor()
    // The draft survives a reload.
    await page.reload()
    await page.getByText('Unsaved draft from earlier').waitFor()
    await page.getByText('No errors').waitFor()
    await page.getByRole('button', { name: 'Review and save' }).click()
    const changes = page.getByRole('region', { name: 'Changes of policy_json' })
    await changes.getByText('"cameraDisabled": true').waitFor()
    await page.getByText('1 line added (+), 0 removed').waitFor()
    await expectUsable(page)
    await page.getByRole('button', { name: 'Save as version 2' }).click()
    await page.getByText('Version 2', { exact: true }).waitFor()
    await page.getByText('published', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Compare version 1' }).click()
    await page.getByRole('heading', { name: 'Changes from version 1 to version 2' }).waitFor()
    await expectUsable(page)
    await page.getByRole('link', { name: 'Back to Policies' }).click()
    await page.getByRole('row', { name: /POS fully managed 2 published/ }).waitFor()
    await expectUsable(page)
  })

  it('that someone else saved in the meantime is not overwritten unnoticed', async () => {
    const shop = await managedOrganization()
    const { id } = await shop.addPolicy({ policy_json: { playStoreMode: 'BLACKLIST' } })
    const page = await harness().open(shop.owner, shop.org_id, `/devices/policies/${id}`)
    const mine = '{\n  "cameraDisabled": true,\n  "playStoreMode": "BLACKLIST"\n}'
    await editor(page).fill(mine)
    await page.getByText('No errors').waitFor()
    await page.getByRole('button', { name: 'Review and save' }).click()
    await page.getByText('1 line added').waitFor()
    await shop.send('PATCH', `policies/${id}`, { policy_json: { playStoreMode: 'WHITELIST' } })
    await page.getByRole('button', { name: 'Save as version 2' }).click()
    await page
      .getByRole('alert')
      .getByText('Someone else saved this policy in the meantime')
      .waitFor()
    await page.getByRole('button', { name: 'Back to editing' }).click()
    await page.getByRole('button', { name: 'Compare with my draft' }).click()
    await page.getByRole('region', { name: 'Saved version and my draft' }).waitFor()
    await expectUsable(page)
    await page.getByRole('button', { name: 'Keep my draft' }).click()
    await page.getByRole('button', { name: 'Review and save' }).click()
    await page.getByRole('button', { name: 'Save as version 3' }).click()
    await page.getByText('Version 3', { exact: true }).waitFor()
    expect(await editor(page).inputValue()).toBe(mine)
  })
})

describe('the editor of a policy', () => {
  it('stays usable with any pasted text and after a reload', async () => {
    const shop = await managedOrganization()
    const { id } = await shop.addPolicy()
    const page = await harness().open(shop.owner, shop.org_id, `/devices/policies/${id}`)
    await page.getByText('No errors').waitFor()
    await editor(page).fill(`{"a": ${'['.repeat(20_000)}`)
    await page.getByText('This is nested too deeply').waitFor()
    await page.reload()
    await page.getByText('This is nested too deeply').waitFor()
    await editor(page).fill(`{"a": [${','.repeat(5000)}`)
    await page.getByText('(first 100 shown)').waitFor()
    await editor(page).fill('{"minimumApiLevel": 12345678901234567890}')
    await page.getByText('This number cannot be represented exactly').waitFor()
    expect(await page.getByRole('button', { name: 'Review and save' }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Discard draft' }).click()
    await page.getByText('No errors').waitFor()
  })

  it('compares policies of the maximum size without freezing', async () => {
    const shop = await managedOrganization()
    const names = (letter: string) => Array.from({ length: 12_000 }, (_, at) => `${letter}${at}`)
    const policy = (letter: string) => ({
      frpAdminEmails: names(letter),
      playStoreMode: 'BLACKLIST',
    })
    const { id } = await shop.addPolicy({ policy_json: policy('a') })
    await shop.send('PATCH', `policies/${id}`, { policy_json: policy('b') })
    const page = await harness().open(shop.owner, shop.org_id, `/devices/policies/${id}`)
    await page.getByRole('button', { name: 'Compare version 1' }).click()
    const summary = page.getByText('12,000 lines added (+), 12,000 removed')
    await summary.waitFor({ timeout: 5000 })
    await page.getByText('more lines not shown').waitFor()
  })
})

describe('a device', () => {
  it('gets a command only once on a double click and keeps inventory details of others', async () => {
    const shop = await managedOrganization()
    const { id } = await shop.addPolicy()
    await shop.enroll(id, { serial_number: 'S-8' })
    await shop.untilActive(1)
    const page = await harness().open(shop.owner, shop.org_id, '/devices/fleet')
    await page.getByRole('link', { name: 'S-8' }).click()
    await page.getByRole('button', { name: 'Lock' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Lock' }).waitFor()
    await page.evaluate(`(() => {
      const button = document.querySelector('dialog button[type=submit]')
      button.click()
      button.click()
    })()`)
    await page
      .getByRole('row', { name: /^Lock acknowledged/ })
      .first()
      .waitFor({ timeout: 20_000 })
    expect(await page.getByRole('row', { name: /^Lock / }).count()).toBe(1)

    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Name', { exact: true }).fill('POS 8')
    const [device] = await shop.devices()
    await shop.send('PATCH', `devices/${device?.id}`, { custom_attributes: { store: 'Bern' } })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'POS 8', level: 1 }).waitFor()
    await page.getByText('Bern', { exact: true }).waitFor()
  })

  it('enrolls with the QR code on the screen', async () => {
    const shop = await managedOrganization()
    await shop.addPolicy()
    const page = await harness().open(shop.owner, shop.org_id, '/devices/tokens')
    await page.getByText('No enrollment tokens').waitFor()
    await page.getByRole('button', { name: 'New token' }).click()
    expect(await page.getByLabel('Valid for').inputValue()).toBe('1')
    await page.getByLabel('Valid for').fill('2')
    expect(await page.getByLabel('For one device only').isChecked()).toBe(true)
    await expectUsable(page)
    await page.getByRole('button', { name: 'Create token' }).click()
    const code = page.getByRole('img', { name: /^QR code/ })
    await code.waitFor()
    await expectUsable(page)
    const qr_content = await readQrCode(page, code)
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await readQrCode(page, code)).toBe(qr_content)
    await page.emulateMedia({ colorScheme: 'light' })
    await page.getByText('Content of the QR code', { exact: true }).click()
    expect(await page.getByLabel('Content of the QR code', { exact: true }).innerText()).toBe(
      qr_content,
    )
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await page.getByText('one device', { exact: true }).waitFor()
    await expectUsable(page)

    emulator().control.enrollPhone({
      qr_content: qr_content ?? '',
      brand: 'Google',
      model: 'Pixel 9',
      serial_number: 'S-QR-1',
    })
    await page.getByRole('link', { name: 'Devices', exact: true }).click()
    await page.getByRole('row', { name: /S-QR-1.*active.*compliant/ }).waitFor({ timeout: 30_000 })
    await expectUsable(page)
    await page.getByRole('link', { name: 'Enrollment tokens', exact: true }).click()
    const made = page.getByRole('row').filter({ hasText: 'once' }).filter({ hasText: 'first' })
    expect(await made.textContent()).toContain(shop.owner.email)
    await expectUsable(page)
  })

  it('cannot enroll with a token that was ended, which only admins see and end', async () => {
    const shop = await managedOrganization()
    const { id: policy_id } = await shop.addPolicy()
    const token = { policy_id, duration_hours: 24 }
    const once = await shop.post<Token>('enrollment-tokens', { ...token, one_time: true })
    const { token_value } = await shop.post<Token>('enrollment-tokens', token)
    emulator().control.enrollPhone({ token_value: once.token_value })
    await shop.untilActive(1)
    const page = await harness().open(shop.owner, shop.org_id, '/devices/tokens')
    await page.getByRole('row', { name: /used up one device/ }).waitFor()
    await page.getByRole('button', { name: 'End the token for POS' }).click()
    const dialog = page.getByRole('dialog', { name: 'End enrollment token' })
    await dialog.getByText('stay enrolled').waitFor()
    await expectUsable(page)
    await dialog.getByRole('button', { name: 'End token' }).click()
    await page.getByRole('row', { name: /ended unlimited/ }).waitFor()
    expect(await page.getByRole('button', { name: /^(QR code|End)/ }).count()).toBe(0)
    await expectUsable(page)
    expect(() => emulator().control.enrollPhone({ token_value })).toThrow()

    await shop.post('enrollment-tokens', token)
    const member = await shop.join('member')
    const other = await harness().open(member, shop.org_id, '/devices/tokens')
    await other.getByRole('row', { name: /active unlimited/ }).waitFor()
    expect(await other.getByRole('button', { name: /^(QR code|End)/ }).count()).toBe(0)
  })

  it('is locked, edited, shown as non-compliant, and wiped', async () => {
    const shop = await managedOrganization()
    const { id } = await shop.addPolicy()
    const phone = await shop.enroll(id, { serial_number: 'S-7' })
    await shop.untilActive(1)
    const page = await harness().open(shop.owner, shop.org_id, '/devices/fleet')
    await page.getByRole('link', { name: 'S-7' }).click()
    await page.getByRole('button', { name: 'Lock' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Lock' }).click()
    await page.getByRole('row', { name: /^Lock acknowledged/ }).waitFor({ timeout: 20_000 })
    await page.getByText('completed a command').waitFor()

    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Name', { exact: true }).fill('POS 3')
    await page.getByRole('button', { name: 'Add attribute' }).click()
    await page.getByLabel('Name of attribute 1').fill('store')
    await page.getByLabel('Value of attribute 1').fill('Bern')
    await page.getByRole('button', { name: 'Add attribute' }).click()
    await page.getByLabel('Name of attribute 2').fill('lane')
    await page.getByLabel('Type of attribute 2').selectOption('json')
    await page.getByLabel('Value of attribute 2').fill('[1,')
    await page.getByText('This is not valid JSON').waitFor()
    await expectUsable(page)
    await page.getByLabel('Value of attribute 2').fill('[1,2]')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'POS 3', level: 1 }).waitFor()
    await page.getByText('[1,2]', { exact: true }).waitFor()

    emulator().control.violate(phone.id, { setting_name: 'passwordPolicies' })
    await page.getByRole('region', { name: 'Violations' }).waitFor({ timeout: 20_000 })
    await page.getByText('The first grace period ends').waitFor()
    await expectUsable(page)

    await page.getByRole('button', { name: 'Wipe' }).click()
    const wipe = page.getByRole('dialog').getByRole('button', { name: 'Wipe' })
    expect(await wipe.isDisabled()).toBe(true)
    await page.getByLabel('Type “WIPE” to confirm').fill('wipe')
    expect(await wipe.isDisabled()).toBe(true)
    await expectUsable(page)
    await page.getByLabel('Type “WIPE” to confirm').fill('WIPE')
    await wipe.click()
    await page.getByRole('row', { name: /^Wipe acknowledged/ }).waitFor({ timeout: 20_000 })
    await page.getByText('deleted', { exact: true }).first().waitFor({ timeout: 20_000 })
  })
})
