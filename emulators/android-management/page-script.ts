/** The script of the page: it polls the control interface and renders what has changed. */

/** It cannot use template literals, because it is one itself. */
export const script = String.raw`
'use strict'
const POLL_MS = 1500
const SHOWN = 100
const SETTINGS = ['passwordPolicies', 'encryptionPolicy', 'applications', 'keyguardDisabled', 'permittedInputMethods', 'minimumApiLevel']
const status = document.getElementById('status')
const cards = new Map()

function element(tag, attributes, ...children) {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value)
    else if (value === true) made.setAttribute(name, '')
    else if (value !== false) made.setAttribute(name, value)
  }
  made.append(...children.filter((child) => child !== null))
  return made
}

async function request(method, path, body) {
  const response = await fetch('/control/' + path, {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  const answer = await response.json()
  if (!response.ok) throw new Error(answer.error.message)
  return answer
}

function showStatus(text, isError) {
  status.textContent = text
  status.className = isError ? 'bad' : ''
}

async function act(method, path, body, done) {
  try {
    await request(method, path, body)
    showStatus(done, false)
  } catch (error) {
    showStatus(error.message, true)
  }
  await refresh()
}

const button = (label, action, disabled) =>
  element('button', { type: 'button', onclick: action, disabled: disabled === true }, label)

function toggle(phone, member, label) {
  const box = element('input', { type: 'checkbox', checked: phone[member] })
  box.addEventListener('change', () =>
    act('PATCH', 'phones/' + phone.id, { [member]: box.checked }, label + ': ' + (box.checked ? 'on' : 'off')))
  return element('label', { class: 'check' }, box, ' ' + label)
}

function violation(detail) {
  return element('li', {}, detail.settingName + ': ' + detail.nonComplianceReason
    + (detail.packageName ? ' (' + detail.packageName + ')' : ''))
}

function command(phone, pending, off) {
  const path = 'phones/' + phone.id + '/commands/' + pending.id
  const errors = element('select', { 'aria-label': 'Error' },
    ...['UNKNOWN', 'API_LEVEL', 'MANAGEMENT_MODE', 'INVALID_VALUE', 'UNSUPPORTED'].map((code) => element('option', {}, code)))
  return element('div', { class: 'buttons' },
    element('strong', {}, pending.type),
    button('Acknowledge', () => act('POST', path + '/acknowledge', null, pending.type + ' executed'), off),
    errors,
    button('Fail', () => act('POST', path + '/fail', { error_code: errors.value }, pending.type + ' failed'), off))
}

function card(phone) {
  const path = 'phones/' + phone.id
  const off = phone.device_name === null || phone.is_silent
  const settings = element('select', { 'aria-label': 'Setting' },
    ...SETTINGS.map((name) => element('option', {}, name)))
  const isGood = phone.violations.length === 0 && phone.applied_policy !== null
  const state = phone.device_name === null ? 'not managed'
    : phone.applied_state + (phone.device === null ? ', deleted on the server' : '')
  const policy = phone.applied_policy
  return element('article', {},
    element('h3', {}, phone.brand + ' ' + phone.model),
    element('p', {}, element('code', {}, phone.serial_number), ' Android ' + phone.android_version
      + ', ' + (phone.ownership === 'COMPANY_OWNED' ? 'company-owned' : 'personally owned')
      + ', ' + (phone.management_mode === 'DEVICE_OWNER' ? 'fully managed' : 'work profile')),
    element('p', {}, element('code', {}, phone.device_name || '')),
    element('p', { class: isGood ? 'good' : 'bad' }, state
      + (policy ? ', ' + policy.name.split('/').pop() + ' version ' + policy.version : ', no policy applied')),
    phone.violations.length ? element('ul', {}, ...phone.violations.map(violation)) : null,
    ...phone.pending_commands.map((pending) => command(phone, pending, off)),
    element('div', { class: 'buttons' },
      button('Report', () => act('POST', path + '/report', null, 'Reported'), off),
      button('Apply policy', () => act('POST', path + '/apply-policy', null, 'Policy applied'), off),
      button('Factory reset', () => act('POST', path + '/reset', null, 'Reset; the server does not notice'), phone.device_name === null)),
    element('div', { class: 'buttons' },
      settings,
      button('Violate', () => act('POST', path + '/violate', { setting_name: settings.value }, settings.value + ' violated'), off),
      button('Repair all', () => act('POST', path + '/repair', {}, 'Repaired'), off)),
    toggle(phone, 'is_silent', 'Offline'),
    toggle(phone, 'is_automatic', 'Automatic'))
}

function show(phones) {
  const list = document.getElementById('phones')
  const known = new Set(phones.map(({ id }) => id))
  for (const [id, { shown }] of cards) {
    if (known.has(id)) continue
    shown.remove()
    cards.delete(id)
  }
  if (phones.length === 0 && cards.size === 0) list.textContent = 'No phones yet. Enroll one above.'
  else if (cards.size === 0) list.textContent = ''
  for (const phone of phones) {
    const text = JSON.stringify(phone)
    const before = cards.get(phone.id)
    if (before && (before.text === text || isChoosing(before.shown))) continue
    const shown = card(phone)
    if (before) before.shown.replaceWith(shown)
    else list.prepend(shown)
    cards.set(phone.id, { shown, text })
  }
}

// Replacing the card would close a list that the user has opened.
const isChoosing = (shown) =>
  shown.contains(document.activeElement) && document.activeElement.tagName === 'SELECT'

function showEnterprises(enterprises) {
  const items = enterprises.map(({ name, display_name, device_count, policy_count }) =>
    element('li', {}, element('strong', {}, display_name || 'unnamed'), ' ', element('code', {}, name),
      ', devices: ' + device_count + ', policies: ' + policy_count))
  document.getElementById('enterprises').replaceChildren(...(items.length ? items : ['No enterprises yet. A sign-up creates one.']))
}

let isBusy = false
async function refresh() {
  if (isBusy) return
  isBusy = true
  try {
    const [{ enterprises }, { phones }] = await Promise.all([
      request('GET', 'enterprises'),
      request('GET', 'phones?limit=' + SHOWN),
    ])
    showEnterprises(enterprises)
    show(phones)
    if (status.textContent === 'Connecting' || status.dataset.unavailable) showStatus('Connected', false)
    delete status.dataset.unavailable
  } catch (error) {
    showStatus('The emulator does not answer: ' + error.message, true)
    status.dataset.unavailable = 'yes'
  }
  isBusy = false
}

document.getElementById('enroll').addEventListener('submit', async (event) => {
  event.preventDefault()
  const form = new FormData(event.target)
  const token = String(form.get('token')).trim()
  const body = { [token.startsWith('{') ? 'qr_content' : 'token_value']: token }
  for (const name of ['brand', 'model', 'serial_number', 'android_version', 'ownership']) {
    const value = String(form.get(name)).trim()
    if (value) body[name] = value
  }
  body.is_automatic = form.get('is_automatic') !== null
  await act('POST', 'phones', body, 'Enrolled')
})

refresh()
setInterval(refresh, POLL_MS)
`
