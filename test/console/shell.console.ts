/** What is around all pages: the way in and out, organisations, modes, the menu, the theme. */
import { describe, expect, it } from 'vitest'
import { expectAccessible, expectFits, useDesk } from './desk.ts'

const desk = useDesk()

describe('the way in', () => {
  it('leads to the page that was asked for, and out again', async () => {
    const { org_id, owner } = await desk().createShop()
    const page = await desk().open(owner, org_id, '/no-such-page')
    expect(page.url()).toContain(`/console/o/${org_id}/no-such-page`)
    await page.getByText('There is no such page').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  })

  it('says what is wrong, and keeps what was typed', async () => {
    const { org_id, owner } = await desk().createShop()
    const context = await desk().browser.newContext()
    const page = await context.newPage()
    await page.goto(`${desk().origin}/console/o/${org_id}`)
    await page.getByLabel('E-mail').fill(owner.email)
    await page.getByLabel('Password').fill('wrong')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('Wrong e-mail or password').waitFor()
    expect(await page.getByLabel('E-mail').inputValue()).toBe(owner.email)
    await expectAccessible(page)
    await expectFits(page)
    await context.close()
  })

  it('is remembered by a cookie that no script can read, and by nothing else', async () => {
    const { org_id, owner } = await desk().createShop()
    const page = await desk().open(owner, org_id)
    expect(await page.evaluate('document.cookie')).toBe('')
    const kept = JSON.stringify(await page.evaluate('({ ...localStorage, ...sessionStorage })'))
    expect(kept).not.toMatch(/eyJ|vrt_/)
    await page.reload()
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    const [cookie] = await page.context().cookies(`${desk().origin}/console/api/auth/refresh`)
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/console/api/auth' })
  })
})

describe('around the page', () => {
  it('an organisation of others does not exist', async () => {
    const [mine, other] = [await desk().createShop(), await desk().createShop()]
    const page = await desk().open(mine.owner, mine.org_id)
    await page.goto(`${desk().origin}/console/o/${other.org_id}`)
    await page.getByText('you do not belong to it').waitFor()
  })

  it('the mode is in the address and stays when one goes on', async () => {
    const { org_id, owner } = await desk().createShop()
    const page = await desk().open(owner, org_id)
    await page.getByLabel('Mode').selectOption('test')
    await page.waitForURL(/mode=test/)
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link').nth(2).click()
    await page.waitForURL(/mode=test/)
  })

  it('the theme can be chosen and is there at the next visit', async () => {
    const { org_id, owner } = await desk().createShop()
    const page = await desk().open(owner, org_id)
    await page.getByRole('button', { name: /Theme: system/ }).click()
    const dark = await page.evaluate('getComputedStyle(document.body).backgroundColor')
    await page.reload()
    await page.getByRole('button', { name: /Theme: dark/ }).waitFor()
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(dark)
  })

  it('works in a narrow window and by the keyboard alone', async () => {
    const { org_id, owner } = await desk().createShop()
    const page = await desk().open(owner, org_id, '/', { width: 360, height: 780 })
    await expectFits(page)
    const menu = page.getByRole('button', { name: 'Menu' })
    await menu.focus()
    await page.keyboard.press('Enter')
    expect(await menu.getAttribute('aria-expanded')).toBe('true')
    await expectAccessible(page)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Enter')
    expect(await menu.getAttribute('aria-expanded')).toBe('false')
  })
})
