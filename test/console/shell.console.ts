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

describe('a session in two tabs', () => {
  it('is of whoever signed in last, who sees nothing of the one before', async () => {
    const [mine, other] = [await desk().createShop(), await desk().createShop()]
    const page = await desk().open(mine.owner, mine.org_id)
    const tab = await page.context().newPage()
    await tab.goto(`${desk().origin}/console/sign-in`)
    await tab.getByLabel('E-mail').fill(other.owner.email)
    await tab.getByLabel('Password').fill(other.owner.password)
    await tab.getByRole('button', { name: 'Sign in' }).click()
    await tab.getByRole('navigation', { name: 'Main' }).waitFor()
    await page.getByText('you do not belong to it').waitFor()
    expect(await page.content()).not.toContain(mine.owner.email)
  })

  it('ends in both, and in neither when the service does not hear of it', async () => {
    const { org_id, owner } = await desk().createShop()
    const page = await desk().open(owner, org_id)
    const tab = await page.context().newPage()
    await tab.goto(page.url())
    await tab.getByRole('navigation', { name: 'Main' }).waitFor()
    await page.route('**/auth/logout', (route) => route.abort())
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('You are still signed in').waitFor()
    await page.unroute('**/auth/logout')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await tab.getByRole('heading', { name: 'Sign in' }).waitFor()
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

  it('live data is never shown as test data, not even until that is there', async () => {
    const { org_id, owner, keys } = await desk().createShop()
    const body = { email: 'seen-live@example.com' }
    await desk().call({ method: 'POST', path: '/v1/check', key: keys.live_secret, body })
    const page = await desk().open(owner, org_id, '/checks')
    const row = page.getByRole('link', { name: body.email })
    await row.waitFor()
    let answer = () => {}
    const isHeld = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route(/api\/checks\?.*mode=test/, async (route) => {
      await isHeld
      await route.continue()
    })
    await page.getByLabel('Mode').selectOption('test')
    await row.waitFor({ state: 'detached' })
    await page.getByText('Loading checks').waitFor()
    answer()
    await page.getByText('Loading checks').waitFor({ state: 'detached' })
  })

  it('filters that are set at once are both in the address', async () => {
    const { org_id, owner } = await desk().createShop()
    const page = await desk().open(owner, org_id, '/developers/requests')
    await page.getByRole('searchbox', { name: 'Path begins with' }).fill('/v1/')
    await page.getByLabel('Status').selectOption('4xx')
    await page.waitForURL(/path=/)
    expect(page.url()).toContain('status=4xx')
  })

  it('a dialog stays while text in it is selected, and gives the focus back', async () => {
    const { org_id, owner } = await desk().createShop()
    const page = await desk().open(owner, org_id, '/developers/keys')
    const opener = page.getByRole('button', { name: 'Create key' })
    await opener.focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Create key')

    await page.keyboard.press('Enter')
    const title = await dialog.getByRole('heading').boundingBox()
    await page.mouse.move((title?.x ?? 0) + 20, (title?.y ?? 0) + 5)
    await page.mouse.down()
    await page.mouse.move(5, 5)
    await page.mouse.up()
    expect(await dialog.count()).toBe(1)
    await page.mouse.click(5, 5)
    await dialog.waitFor({ state: 'detached' })
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

  it('the menu of a narrow window gives the focus back, or on to the page', async () => {
    const { org_id, owner } = await desk().createShop()
    const page = await desk().open(owner, org_id, '/', { width: 360, height: 780 })
    const menu = page.getByRole('button', { name: 'Menu' })
    const focused = (name: string) =>
      page.evaluate(`document.activeElement.getAttribute('${name}')`)
    await menu.click()
    const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link')
    await links.nth(1).focus()
    await page.keyboard.press('Escape')
    await expect.poll(() => focused('aria-controls')).toBe('menu')
    await menu.click()
    await links.nth(2).focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => focused('id')).toBe('content')
  })

  it('what cannot be copied by the browser is said to be', async () => {
    const { org_id, owner } = await desk().createShop()
    const page = await desk().open(owner, org_id, '/profile')
    // As where the page came over plain HTTP.
    await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    await page.getByRole('button', { name: 'Copy' }).click()
    await page.getByRole('button', { name: 'Select it and copy by hand' }).waitFor()
  })
})
