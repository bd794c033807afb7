/** `vigil login` and `vigil logout`: the installation and the token that commands use from a laptop. */
import { hostname } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import type { DeviceCodes, ProgramToken } from '../../modules/accounts/index.ts'
import { createApi } from '../configuration/api.ts'
import { readInputFile } from '../input-file.ts'
import { CommandError, type Io, type Options, type Output } from '../io.ts'
import { findLogin, type Login, removeLogin, writeLogin } from './login-file.ts'

type LoginOptions = Options & { tokenFile?: string; org?: string }
type Me = { email: string; organizations: { id: string; name: string }[] }

const AUTH = '/console/api/auth/device'

export async function login(io: Io, options: LoginOptions, address = ''): Promise<Output> {
  const url = readUrl(io, address)
  const { tokenFile, org } = options
  const token = tokenFile === undefined ? undefined : readInputFile(io, tokenFile).trim()
  const signedIn = token === undefined ? await approvedIn(io, url) : await ownToken(url, token, org)
  const { organization, ...stored } = signedIn
  const file = writeLogin(io, stored)
  const { org_id, expires_at } = stored
  const until = expires_at === undefined ? '' : ` until ${expires_at}`
  return {
    json: { url, org_id, organization, expires_at: expires_at ?? null, file },
    lines: [`Signed in to ${organization} at ${url}${until}`],
  }
}

type Found = Login & { organization: string }

/** Waits until a user has approved the code in the console. */
async function approvedIn(io: Io, url: string): Promise<Found> {
  const api = createApi({ url })
  const program = `vigil login on ${hostname()}`
  const codes = await api.post<DeviceCodes>(AUTH, { program })
  const { device_code, user_code, expires_in_seconds, interval_seconds } = codes
  io.stderr(`Open ${new URL('/console/device', url).href} and enter the code ${user_code}`)
  io.stderr(`The code works for ${expires_in_seconds / 60} minutes. Waiting…`)
  for (let waited = 0; waited < expires_in_seconds; waited += interval_seconds) {
    await setTimeout(1000 * interval_seconds)
    const answer = await api.post<ProgramToken>(`${AUTH}/token`, { device_code })
    if (answer.status === 'denied') throw new CommandError('The sign-in was denied')
    if (answer.status === 'approved') {
      const { access_token: token, org_id, organization, expires_at } = answer
      return { url, token, org_id, organization, expires_at }
    }
  }
  throw new CommandError('The code has expired: run vigil login again')
}

async function ownToken(url: string, token: string, org: string | undefined): Promise<Found> {
  const { organizations } = await createApi({ url, token }).get<Me>('/console/api/me')
  const found = org === undefined ? organizations : organizations.filter(({ id }) => id === org)
  const [first, ...others] = found
  if (!first) throw new CommandError('The user of the token is not a member of the organization')
  if (others.length > 0) {
    const names = found.map(({ id, name }) => `  ${id}: ${name}`)
    throw new CommandError(['Choose an organization with --org:', ...names].join('\n'))
  }
  return { url, token, org_id: first.id, organization: first.name }
}

/** Tokens of installations elsewhere must not cross the network in the clear. */
function readUrl(io: Io, address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw new CommandError('The address must be a URL, such as https://vigil.example.com')
  }
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  if (url.protocol === 'http:' && !isLocal) {
    io.stderr('Warning: over http, others in the network can read the token. Use https')
  }
  return url.origin
}

export async function logout(io: Io): Promise<Output> {
  const stored = findLogin(io)
  if (!stored) {
    removeLogin(io)
    throw new CommandError('You are not signed in')
  }
  const { url, token } = stored
  // The file is removed in any case: a token that cannot be ended expires.
  const isEnded = await createApi({ url, token })
    .remove('/console/api/me/session')
    .then(
      () => true,
      () => false,
    )
  removeLogin(io)
  const note = isEnded ? 'the token has ended' : 'the token could not be ended there'
  return { json: { url, is_ended: isEnded }, lines: [`Signed out of ${url}: ${note}`] }
}
