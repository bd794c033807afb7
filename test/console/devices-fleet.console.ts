/** The fleet of managed devices: search, groups, reports and permissions. */
import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { expectFits, expectUsable, HOSTILE } from './harness.ts'
import { createManagedOrganization, settle, useManagedDevices } from './managed-devices.ts'

const { harness, emulator } = useManagedDevices()
const managedOrganization = async () => await createManagedOrganization(harness(), emulator())

describe('a fleet', () => {
  it('is searched, grouped, sent commands, and removed from management', async () => {
    const shop = await managedOrganization()
    const { id: policy_id } = await shop.addPolicy()
    for (const serial_number of ['S-1', 'S-2', 'S-3'])
      await shop.enroll(policy_id, { serial_number })
    const page = await harness().open(shop.owner, shop.org_id, '/devices/groups')
    await page.getByRole('button', { name: 'New group' }).click()
    await page.getByLabel('Name').fill('Stores in Bern')
    await expectUsable(page)
    await page.getByRole('button', { name: 'Create group' }).click()
    await page.getByRole('heading', { name: 'Stores in Bern' }).waitFor()
    await shop.untilActive(3)

    await page.goto(`${harness().origin}/console/o/${shop.org_id}/devices/fleet`)
    await page.getByLabel('Name, serial number, model or user').fill('s-2')
    await page.waitForURL(/q=s-2/)
    await page.getByRole('row', { name: /S-2/ }).waitFor()
    await expect.poll(async () => await page.getByRole('row').count()).toBe(2)
    await page.reload()
    await page.getByLabel('Select S-2').check()
    await page.getByLabel('Name, serial number, model or user').fill('')
    await page.getByLabel('Select S-1').check()
    await page.getByText('2 selected', { exact: true }).waitFor()
    await page.getByLabel('Group', { exact: true }).last().selectOption({ label: 'Stores in Bern' })
    await expectUsable(page)
    await page.getByRole('button', { name: 'Assign to group' }).click()
    await page.getByText('2 devices assigned to Stores in Bern').waitFor()
    await page.getByRole('link', { name: 'Stores in Bern' }).first().click()

    await page.getByRole('button', { name: 'Add devices' }).click()
    await page.getByRole('dialog').getByLabel('Select S-3').check()
    await expectUsable(page)
    await page.getByRole('button', { name: 'Assign to this group' }).click()
    await page.getByRole('row', { name: /S-3/ }).waitFor()
    await page.getByRole('button', { name: 'Reboot' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Reboot' }).click()
    await page.getByText('Reboot: completed on 3 devices').waitFor({ timeout: 30_000 })
    await page.getByText('3 acknowledged').waitFor()
    await expectUsable(page)
    await page.getByRole('link', { name: 'Back to Groups' }).click()
    await page.getByRole('row', { name: /Stores in Bern.*3 acknowledged/ }).waitFor()
    await expectUsable(page)

    await page.getByRole('link', { name: 'Stores in Bern' }).click()
    await page.getByRole('button', { name: 'Edit group' }).click()
    await page.getByLabel('Name').fill('Stores in Thun')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Stores in Thun' }).waitFor()
    await page.getByRole('button', { name: 'Delete group' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete group' }).click()
    await page.getByText('No groups yet').waitFor()

    await page.goto(`${harness().origin}/console/o/${shop.org_id}/devices/fleet`)
    await page.getByRole('link', { name: 'S-1' }).click()
    await page.getByRole('button', { name: 'Delete device' }).click()
    const confirm = page.getByRole('button', { name: 'Delete and wipe' })
    expect(await confirm.isDisabled()).toBe(true)
    await page.getByLabel('Type “DELETE” to confirm').fill('DELETE')
    await confirm.click()
    await page.getByText('deleted', { exact: true }).first().waitFor({ timeout: 30_000 })
    await page.goto(`${harness().origin}/console/o/${shop.org_id}/devices`)
    await page.getByRole('link', { name: 'deleted' }).click()
    await page.waitForURL(/state=deleted/)
    await page.getByRole('row', { name: /S-1/ }).waitFor()
  })
})

describe('the audit log and the reports', () => {
  it('filter in the address and download CSV files that contain the device', async () => {
    const shop = await managedOrganization()
    const { id } = await shop.addPolicy()
    await shop.enroll(id, { serial_number: 'S-CSV' })
    await shop.untilActive(1)
    const page = await harness().open(shop.owner, shop.org_id, '/devices/audit')
    await page.getByRole('row', { name: /Enrolled a device/ }).waitFor()
    await expectUsable(page)
    const download = async (title: string) => {
      const button = page.getByRole('button', { name: `Download ${title}` })
      const [file] = await Promise.all([page.waitForEvent('download'), button.click()])
      return {
        name: file.suggestedFilename(),
        text: await readFile(await file.path(), 'utf8'),
      }
    }
    const inventory = await download('Fleet inventory')
    expect(inventory.name).toMatch(/^fleet-inventory-\d{4}-\d\d-\d\d\.csv$/)
    expect(inventory.text).toContain('S-CSV')
    await page.getByText(/^Saved, /).waitFor()
    expect((await download('Compliance summary')).text).toContain('S-CSV')
    await page.getByLabel('Action').selectOption('device.enrolled')
    await page.waitForURL(/action=device.enrolled/)
    const log = await download('Audit log')
    expect(log.text.split('\r\n').slice(1, -1)).toEqual([
      expect.stringContaining('device.enrolled'),
    ])
    await expect.poll(async () => await page.getByRole('row').count()).toBe(2)
  })
})

describe('a report that fails', () => {
  it('shows the error, saves nothing, and can be downloaded again', async () => {
    const shop = await managedOrganization()
    const page = await harness().open(shop.owner, shop.org_id, '/devices/audit')
    const path = '**/v1/mdm/reports/fleet-inventory.csv*'
    const refusal = { success: false, message: 'Rate limit exceeded', content: { retry_after: 5 } }
    await page.route(path, async (route) => await route.fulfill({ status: 429, json: refusal }))
    const button = page.getByRole('button', { name: 'Download Fleet inventory' })
    await button.click()
    await page.getByRole('status').getByText('Rate limit exceeded').waitFor()
    await expectUsable(page)
    await page.unroute(path)
    await button.click()
    await page.getByText(/^Saved, /).waitFor()
  })
})

describe('permissions', () => {
  it('a member sees everything without the controls of admins', async () => {
    const shop = await managedOrganization()
    const { id } = await shop.addPolicy()
    await shop.enroll(id, { serial_number: 'S-MEMBER' })
    await shop.post('groups', { name: 'Bern' })
    await shop.untilActive(1)
    const member = await shop.join('member')
    const page = await harness().open(member, shop.org_id, '/devices/fleet')
    await page.getByRole('link', { name: 'S-MEMBER' }).click()
    await page.getByText('Only owners and admins can send commands').waitFor()
    await expectUsable(page)
    const base = `${harness().origin}/console/o/${shop.org_id}/devices`
    const offers = [/^(Lock|Wipe|Edit|Delete|New|Create|Assign|Add|Review|Discard|Start|Save|Load)/]
    for (const path of [
      '',
      '/fleet',
      '/groups',
      '/policies',
      `/policies/${id}`,
      '/tokens',
      '/audit',
    ]) {
      await page.goto(base + path)
      await settle(page)
      for (const name of offers) expect(await page.getByRole('button', { name }).count()).toBe(0)
      expect(await page.getByRole('checkbox').count()).toBe(0)
    }
  })

  it('other organizations do not find the devices', async () => {
    const shop = await managedOrganization()
    const { id } = await shop.addPolicy()
    await shop.enroll(id)
    await shop.untilActive(1)
    const [device] = await shop.devices()
    const { page, ...other } = await harness().openNew(`/devices/fleet/${device?.id}`)
    await page.getByText('Not found').waitFor()
    await page.goto(`${harness().origin}/console/o/${other.org_id}/devices/policies/${id}`)
    await page.getByText('Not found').waitFor()
    await page.goto(`${harness().origin}/console/o/${shop.org_id}/devices`)
    await page.getByText('you are not a member of it').waitFor()
  })
})

describe('hostile texts', () => {
  it('are shown as text in every field', async () => {
    const shop = await managedOrganization()
    const [image, script, link, words] = HOSTILE
    const policy = await shop.addPolicy({
      name: image,
      description: script,
      policy_json: { playStoreMode: 'BLACKLIST', shortSupportMessage: { defaultMessage: link } },
    })
    const group = await shop.post<{ id: string }>('groups', { name: script, policy_id: policy.id })
    const phone = await shop.enroll(policy.id, {
      brand: image,
      model: script,
      serial_number: link,
    })
    await shop.untilActive(1)
    const [device] = await shop.devices()
    await shop.post(`groups/${group.id}/devices`, { device_ids: [device?.id] })
    await shop.send('PATCH', `devices/${device?.id}`, {
      name: words,
      assigned_user_id: image,
      custom_attributes: { [script]: image, __proto__x: { [link]: [words] } },
    })
    emulator().control.violate(phone.id, {
      setting_name: image,
      package_name: script,
      field_path: link,
    })
    const page = await harness().open(shop.owner, shop.org_id, `/devices/fleet/${device?.id}`)
    await page.getByRole('region', { name: 'Violations' }).waitFor({ timeout: 20_000 })
    const base = `${harness().origin}/console/o/${shop.org_id}/devices`
    const paths = [
      '',
      `/fleet/${device?.id}`,
      `/fleet?q=${encodeURIComponent(image)}`,
      '/groups',
      `/groups/${group.id}`,
      '/policies',
      `/policies/${policy.id}`,
      '/tokens',
      '/audit',
      `/audit?action=${encodeURIComponent(script)}`,
    ]
    for (const path of paths) {
      await page.goto(base + path)
      await settle(page)
      expect(await page.locator('main img:not([alt]), main script, main [onerror]').count()).toBe(0)
      expect(await page.locator('main a[href^="javascript"]').count()).toBe(0)
      await expectFits(page)
    }
    await page.goto(`${base}/fleet`)
    await page.getByRole('link', { name: 'evil' }).waitFor()
    await page.goto(`${base}/policies/${policy.id}`)
    await page.getByRole('heading', { name: image, level: 1 }).waitFor()
  })
})
