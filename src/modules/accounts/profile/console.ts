/** The signed-in user: their organizations, password and sessions. */
import { Type } from 'typebox'
import type { App } from '../../../platform/http/app.ts'
import { envelope } from '../../../platform/http/envelope.ts'
import { invalidRequest, invalidToken, notFound } from '../../../platform/http/errors.ts'
import { passwordMessage, refuseWhenBusy } from '../password-refusals.ts'
import type { SecondFactors } from '../second-factor/service.ts'
import type { Organizations } from '../service.ts'
import type { SessionProvider } from '../sessions/existing-sessions.ts'
import type { Sessions } from '../sessions/service.ts'
import { reachOf } from '../single-sign-on/reach.ts'
import type { OrganizationOfUser } from '../store.ts'
import type { PasswordRefused, Profile } from './service.ts'

const USER = { access: 'user', rate_class: 'console' } as const
/** Also for tokens of one organization. */
const OF_TOKEN = { ...USER, limited_session: true } as const

const SECRET_MAX_CHARS = 1024

const secret = Type.String({ minLength: 1, maxLength: SECRET_MAX_CHARS })
const ONE_SESSION = { config: USER, schema: { params: Type.Object({ id: Type.String() }) } }
const PASSWORD = {
  // Limited like sign-in, against guessing the password at an unlocked screen.
  config: { ...USER, rate_class: 'sign_in' },
  schema: { body: Type.Object({ current: secret, next: secret }) },
} as const

export function profileRoutes(
  app: App,
  {
    accounts,
  }: { accounts: Profile & Organizations & SecondFactors & Pick<Sessions, 'endOwnSession'> },
): void {
  app.get('/console/api/me', { config: OF_TOKEN }, async (request) => {
    const { user_id, provider, only_org_id } = request.user
    const email = await accounts.findEmail(user_id)
    if (email === undefined) throw invalidToken()
    const all = reached(await accounts.listOrganizations(user_id), provider)
    const organizations = all.filter(({ id }) => id === (only_org_id ?? id))
    const { is_on, passkeys } = await accounts.describeSecondFactor(user_id)
    const has_second_factor = is_on || passkeys > 0
    const by_provider = provider !== undefined
    const content = { user_id, email, has_second_factor, by_provider, organizations }
    return envelope('Signed-in user', content)
  })

  app.post('/console/api/me/password', PASSWORD, async (request) => {
    const { user_id, session_id } = request.user
    const changed = await accounts
      .changePassword({ user_id, session_id }, request.body)
      .catch(refuseWhenBusy)
    if (changed !== 'done') throw refusal(changed.refused)
    return envelope('Password changed; other sessions have ended', {})
  })

  app.delete('/console/api/me/session', { config: OF_TOKEN }, async (request) => {
    await accounts.endOwnSession(request.user)
    return envelope('Session ended', {})
  })

  app.get('/console/api/me/sessions', { config: USER }, async (request) => {
    const { user_id, session_id } = request.user
    return envelope('Sessions', { sessions: await accounts.listSessions(user_id, session_id) })
  })

  app.delete('/console/api/me/sessions', { config: USER }, async ({ user }) => {
    const ended = await accounts.endOtherSessions(user.user_id, user.session_id)
    return envelope('Other sessions ended', { ended })
  })

  app.delete('/console/api/me/sessions/:id', ONE_SESSION, async (request) => {
    if (!(await accounts.endSession(request.user.user_id, request.params.id))) throw notFound()
    return envelope('Session ended', {})
  })
}

/** Those that the session reaches, and those that it would reach after a sign-in by their provider. */
const reached = (organizations: OrganizationOfUser[], provider: SessionProvider | undefined) =>
  organizations.flatMap(({ required_provider, is_break_glass, ...organization }) => {
    const reach = reachOf(organization.id, { required_provider, is_break_glass }, provider)
    const requires_single_sign_on = reach === 'required'
    return reach === 'limited'
      ? []
      : [{ ...organization, required_provider, requires_single_sign_on }]
  })

function refusal(refused: PasswordRefused) {
  return refused === 'wrong_password'
    ? invalidRequest('current', 'This is not the current password')
    : invalidRequest('next', passwordMessage(refused))
}
