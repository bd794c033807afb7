/** Managed devices, from the sign-up at the provider to a phone that is wiped. */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { HOSTILE } from './desk.ts'
import { createManagedShop, expectGood, readQrCode, useDevicesDesk } from './devices-world.ts'

const { desk, emulator } = useDevicesDesk()
const managedShop = async () => await createManagedShop(desk(), emulator())

const editor = (page: Page) => page.getByLabel('policy_json')

describe('the sign-up for an enterprise', () => {
  it('leads to the page of the provider and back, and says how far it is', async () => {
    const { org_id, owner } = await desk().createShop()
    const page = await desk().open(owner, org_id, '/devices')
    await page.getByText('There is no enterprise yet').waitFor()
    await expectGood(page)
    await page.getByRole('link', { name: 'Sign up for an enterprise' }).click()
    await page.getByText('An emulator plays Google').waitFor()
    await expectGood(page)
    await page.getByRole('button', { name: 'Begin sign-up' }).click()
    const leave = page.getByRole('link', { name: /^Go to 127/ })
    await leave.waitFor()
    await page.reload()
    await expectGood(page)
    await leave.click()
    await page.getByLabel('Name of the organisation').fill(HOSTILE[0])
    await page.getByRole('button', { name: 'Agree and return' }).click()
    await page
      .getByRole('heading', { name: 'Enterprise (done)' })
      .or(page.getByText('An organisation has one enterprise'))
      .first()
      .waitFor()
    expect(page.url()).not.toContain('enterpriseToken')
    await page.getByText(HOSTILE[0]).first().waitFor()
    await expectGood(page)
    await page.goto(`${desk().origin}/console/o/${org_id}/devices`)
    await page.getByText(/enterprises\/LC/).waitFor()
  })

  it('makes nothing of a return that was not begun in this browser', async () => {
    const { org_id, owner } = await desk().createShop()
    const query = 'enterpriseToken=EEforeign&state=other'
    const page = await desk().open(owner, org_id, `/devices/sign-up?${query}`)
    await page.getByText('belongs to no sign-up that was begun in this browser').waitFor()
    expect(page.url()).not.toContain('enterpriseToken')
    await page.getByRole('button', { name: 'Begin sign-up' }).waitFor()
  })

  it('explains a refusal and can be begun anew', async () => {
    const { org_id, owner } = await desk().createShop()
    const page = await desk().open(owner, org_id, '/devices/sign-up')
    await page.getByRole('button', { name: 'Begin sign-up' }).click()
    await page.getByRole('link', { name: /^Go to 127/ }).waitFor()
    const state = await page.evaluate<string>(
      `JSON.parse(localStorage.getItem('vigil:enterprise-sign-up')).state`,
    )
    const path = `/console/o/${org_id}/devices/sign-up?enterpriseToken=EEwrong&state=${state}`
    await page.goto(desk().origin + path)
    await page.getByRole('alert').getByText('enterprise token is not valid').waitFor()
    await expectGood(page)
    await page.getByRole('button', { name: 'Begin anew' }).click()
    await page.getByRole('link', { name: /^Go to 127/ }).waitFor()
  })
})

describe('a policy', () => {
  it('is written with its faults in place, compared, saved and published', async () => {
    const shop = await managedShop()
    const page = await desk().open(shop.owner, shop.org_id, '/devices/policies')
    await page.getByText('No policies yet').waitFor()
    await page.getByRole('link', { name: 'New policy' }).click()
    await page.getByLabel('Name').fill('Tills')
    await expectGood(page)
    await page.getByRole('button', { name: 'Create policy' }).click()
    await page.getByText('✓ No faults').waitFor()
    const text = await editor(page).inputValue()

    await editor(page).fill(
      text.replace('"playStoreMode": "BLACKLIST"', '"playStoreMode": "BLACK"'),
    )
    const line = text.split('\n').findIndex((each) => each.includes('playStoreMode')) + 1
    const fault = page.getByRole('button', { name: `Line ${line} policy_json.playStoreMode` })
    await fault.waitFor()
    await expectGood(page)
    await fault.click()
    const selected = await page.evaluate<string>(`(() => {
      const { value, selectionStart, selectionEnd } = document.activeElement
      return value.slice(selectionStart, selectionEnd)
    })()`)
    expect(selected).toContain('"playStoreMode": "BLACK"')
    expect(await page.getByRole('button', { name: 'Review and save' }).isDisabled()).toBe(true)

    await editor(page).fill(`${text.slice(0, -2)}\n  "cameraDisabled": true\n}`)
    await page.getByText('A comma is expected here').waitFor()
    await editor(page).fill(`${text.slice(0, -2)},\n  "cameraDisabled": true\n}`)
    await page.getByText('✓ No faults').waitFor()
    // What was not saved is there after a reload.
    await page.reload()
    await page.getByText('A draft of earlier').waitFor()
    await page.getByText('✓ No faults').waitFor()
    await page.getByRole('button', { name: 'Review and save' }).click()
    const changes = page.getByRole('region', { name: 'Changes of policy_json' })
    await changes.getByText('"cameraDisabled": true').waitFor()
    await page.getByText('1 lines added (+), 0 removed').waitFor()
    await expectGood(page)
    await page.getByRole('button', { name: 'Save as version 2' }).click()
    await page.getByText('Version 2', { exact: true }).waitFor()
    await page.getByText('published', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Compare version 1' }).click()
    await page.getByRole('heading', { name: 'From version 1 to version 2' }).waitFor()
    await expectGood(page)
    await page.getByRole('link', { name: '← Policies' }).click()
    await page.getByRole('row', { name: /Tills fully managed 2 published/ }).waitFor()
    await expectGood(page)
  })

  it('that somebody else saved meanwhile is not overwritten unseen', async () => {
    const shop = await managedShop()
    const { id } = await shop.addPolicy({ policy_json: { playStoreMode: 'BLACKLIST' } })
    const page = await desk().open(shop.owner, shop.org_id, `/devices/policies/${id}`)
    const mine = '{\n  "cameraDisabled": true,\n  "playStoreMode": "BLACKLIST"\n}'
    await editor(page).fill(mine)
    await page.getByText('✓ No faults').waitFor()
    await page.getByRole('button', { name: 'Review and save' }).click()
    await page.getByText('1 lines added').waitFor()
    await shop.send('PATCH', `policies/${id}`, { policy_json: { playStoreMode: 'WHITELIST' } })
    await page.getByRole('button', { name: 'Save as version 2' }).click()
    await page.getByRole('alert').getByText('Somebody saved this policy meanwhile').waitFor()
    await page.getByRole('button', { name: 'Back to editing' }).click()
    await page.getByRole('button', { name: 'Compare theirs with my draft' }).click()
    await page.getByRole('region', { name: 'Theirs, and my draft' }).waitFor()
    await expectGood(page)
    await page.getByRole('button', { name: 'Keep my draft' }).click()
    await page.getByRole('button', { name: 'Review and save' }).click()
    await page.getByRole('button', { name: 'Save as version 3' }).click()
    await page.getByText('Version 3', { exact: true }).waitFor()
    expect(await editor(page).inputValue()).toBe(mine)
  })
})

describe('the editor of a policy', () => {
  it('stays usable whatever is pasted into it, and after a reload', async () => {
    const shop = await managedShop()
    const { id } = await shop.addPolicy()
    const page = await desk().open(shop.owner, shop.org_id, `/devices/policies/${id}`)
    await page.getByText('✓ No faults').waitFor()
    await editor(page).fill(`{"a": ${'['.repeat(20_000)}`)
    await page.getByText('This is nested too deeply').waitFor()
    await page.reload()
    await page.getByText('This is nested too deeply').waitFor()
    await editor(page).fill(`{"a": [${','.repeat(5000)}`)
    await page.getByText('of which these are the first 100').waitFor()
    await editor(page).fill('{"minimumApiLevel": 12345678901234567890}')
    await page.getByText('This number cannot be kept exactly').waitFor()
    expect(await page.getByRole('button', { name: 'Review and save' }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Discard draft' }).click()
    await page.getByText('✓ No faults').waitFor()
  })

  it('compares policies of the size that is allowed without standing still', async () => {
    const shop = await managedShop()
    const names = (letter: string) => Array.from({ length: 12_000 }, (_, at) => `${letter}${at}`)
    const policy = (letter: string) => ({
      frpAdminEmails: names(letter),
      playStoreMode: 'BLACKLIST',
    })
    const { id } = await shop.addPolicy({ policy_json: policy('a') })
    await shop.send('PATCH', `policies/${id}`, { policy_json: policy('b') })
    const page = await desk().open(shop.owner, shop.org_id, `/devices/policies/${id}`)
    await page.getByRole('button', { name: 'Compare version 1' }).click()
    const told = page.getByText('12,000 lines added (+), 12,000 removed')
    await told.waitFor({ timeout: 5000 })
    await page.getByText('more lines are not shown').waitFor()
  })
})

describe('a phone', () => {
  it('gets a command once however fast the button is pressed, and keeps what others noted', async () => {
    const shop = await managedShop()
    const { id } = await shop.addPolicy()
    await shop.enrol(id, { serial_number: 'S-8' })
    await shop.untilActive(1)
    const page = await desk().open(shop.owner, shop.org_id, '/devices/fleet')
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
    await page.getByLabel('Name', { exact: true }).fill('Till 8')
    const [device] = await shop.devices()
    await shop.send('PATCH', `devices/${device?.id}`, { custom_attributes: { store: 'Bern' } })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Till 8', level: 1 }).waitFor()
    await page.getByText('Bern', { exact: true }).waitFor()
  })

  it('is enrolled by the QR code on the screen', async () => {
    const shop = await managedShop()
    await shop.addPolicy()
    const page = await desk().open(shop.owner, shop.org_id, '/devices/tokens')
    await page.getByText('No tokens that have not expired').waitFor()
    await page.getByRole('button', { name: 'New token' }).click()
    await page.getByLabel('Valid for').fill('2')
    await page.getByLabel('For one device only').check()
    await expectGood(page)
    await page.getByRole('button', { name: 'Create token' }).click()
    const code = page.getByRole('img', { name: /^QR code/ })
    await code.waitFor()
    await expectGood(page)
    const qr_content = await readQrCode(page, code)
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await readQrCode(page, code)).toBe(qr_content)
    await page.emulateMedia({ colorScheme: 'light' })
    await page.getByText('Content of the QR code', { exact: true }).click()
    expect(await page.getByLabel('Content of the QR code', { exact: true }).innerText()).toBe(
      qr_content,
    )
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByText('one device', { exact: true }).waitFor()
    await expectGood(page)

    emulator().control.enrolPhone({
      qr_content: qr_content ?? '',
      brand: 'Google',
      model: 'Pixel 9',
      serial_number: 'S-QR-1',
    })
    await page.getByRole('link', { name: 'Devices', exact: true }).click()
    await page.getByRole('row', { name: /S-QR-1.*active.*compliant/ }).waitFor({ timeout: 30_000 })
    await expectGood(page)
  })

  it('is locked, noted about, seen to violate its policy, and wiped', async () => {
    const shop = await managedShop()
    const { id } = await shop.addPolicy()
    const phone = await shop.enrol(id, { serial_number: 'S-7' })
    await shop.untilActive(1)
    const page = await desk().open(shop.owner, shop.org_id, '/devices/fleet')
    await page.getByRole('link', { name: 'S-7' }).click()
    await page.getByRole('button', { name: 'Lock' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Lock' }).click()
    await page.getByRole('row', { name: /^Lock acknowledged/ }).waitFor({ timeout: 20_000 })
    await page.getByText('A command ended').waitFor()

    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Till 3')
    await page.getByRole('button', { name: 'Add attribute' }).click()
    await page.getByLabel('Name of attribute 1').fill('store')
    await page.getByLabel('Value of attribute 1').fill('Bern')
    await page.getByRole('button', { name: 'Add attribute' }).click()
    await page.getByLabel('Name of attribute 2').fill('lane')
    await page.getByLabel('Kind of attribute 2').selectOption('json')
    await page.getByLabel('Value of attribute 2').fill('[1,')
    await page.getByText('This is not JSON').waitFor()
    await expectGood(page)
    await page.getByLabel('Value of attribute 2').fill('[1,2]')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Till 3', level: 1 }).waitFor()
    await page.getByText('[1,2]', { exact: true }).waitFor()

    emulator().control.violate(phone.id, { setting_name: 'passwordPolicies' })
    await page.getByRole('region', { name: 'Violations' }).waitFor({ timeout: 20_000 })
    await page.getByText('The first of its times ends').waitFor()
    await expectGood(page)

    await page.getByRole('button', { name: 'Wipe' }).click()
    const wipe = page.getByRole('dialog').getByRole('button', { name: 'Wipe' })
    expect(await wipe.isDisabled()).toBe(true)
    await page.getByLabel('Type “WIPE” to confirm').fill('wipe')
    expect(await wipe.isDisabled()).toBe(true)
    await expectGood(page)
    await page.getByLabel('Type “WIPE” to confirm').fill('WIPE')
    await wipe.click()
    await page.getByRole('row', { name: /^Wipe acknowledged/ }).waitFor({ timeout: 20_000 })
    await page.getByText('deleted', { exact: true }).first().waitFor({ timeout: 20_000 })
  })
})
