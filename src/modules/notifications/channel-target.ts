/** Reads where a channel leads, and seals what must not be shown. */
import type { Sealer } from '../../platform/crypto/sealed.ts'
import { invalidRequest } from '../../platform/http/errors.ts'
import type { GuardedPost } from '../../platform/net/guarded-post.ts'
import { REFUSAL_TEXTS } from '../../platform/net/post-outcome.ts'
import { readTarget } from '../../platform/net/target-url.ts'
import type { ChannelChange } from './schema.ts'
import { type ChannelSecret, secretContext } from './sending/send.ts'
import type { ChannelConfig, ChannelKind } from './tables.ts'

export type TargetDependencies = {
  sealer: Pick<Sealer, 'seal'>
  /** Checks whether a URL may be called, according to its current DNS records. */
  checkUrl: GuardedPost['check']
  has_mailer: boolean
  /** Generates a signing secret. */
  newSecret: () => { secret: string; secret_prefix: string }
  hasApplication: (orgId: string, applicationId: string) => Promise<boolean>
}

export type Target = { config: ChannelConfig; sealed: string | null; secret?: string }

const PAGERDUTY_URL = 'https://events.pagerduty.com/v2/enqueue'

/** @throws AppError 400 naming the member that is missing or invalid */
export async function readChannelTarget(
  deps: TargetDependencies,
  channel: { org_id: string; id: string; kind: ChannelKind },
  given: ChannelChange,
): Promise<Target> {
  const { org_id, id, kind } = channel
  const seal = async (secret: ChannelSecret) =>
    await deps.sealer.seal(JSON.stringify(secret), secretContext(id))
  switch (kind) {
    case 'email': {
      if (!deps.has_mailer) throw invalidRequest('kind', NO_MAILER)
      return { config: { to: [...new Set(required('to', given.to))] }, sealed: null }
    }
    case 'push': {
      const application_id = required('application_id', given.application_id)
      const external_user_ids = required('external_user_ids', given.external_user_ids)
      if (!(await deps.hasApplication(org_id, application_id))) {
        throw invalidRequest(
          'application_id',
          'application_id is not an application with live keys',
        )
      }
      return { config: { application_id, external_user_ids }, sealed: null }
    }
    case 'pagerduty': {
      const routing_key = required('routing_key', given.routing_key)
      const url = given.url ?? PAGERDUTY_URL
      const host = await hostOf(deps, 'url', url)
      const secret_prefix = routing_key.slice(0, SHOWN_CHARS)
      return { config: { host, secret_prefix }, sealed: await seal({ url, routing_key }) }
    }
    case 'webhook': {
      const url = required('url', given.url)
      const host = await hostOf(deps, 'url', url)
      const { secret, secret_prefix } = deps.newSecret()
      return { config: { host, secret_prefix }, sealed: await seal({ url, secret }), secret }
    }
    // A browser is added by the person who uses it.
    case 'browser':
      throw invalidRequest('kind', 'kind must not be browser')
    case 'slack':
    case 'teams': {
      const url = required('url', given.url)
      return { config: { host: await hostOf(deps, 'url', url) }, sealed: await seal({ url }) }
    }
  }
}

const SHOWN_CHARS = 4
const NO_MAILER =
  'kind email needs a mail server: set VIGIL_SMTP_URL and VIGIL_SMTP_FROM for this installation'

function required<T>(field: string, value: T | undefined): T {
  if (value === undefined) throw invalidRequest(field, `${field} is required`)
  return value
}

/** @throws AppError 400 naming the field when the URL must not be called */
export async function hostOf(
  { checkUrl }: Pick<TargetDependencies, 'checkUrl'>,
  field: string,
  url: string,
): Promise<string> {
  const reading = readTarget(url)
  const verdict = reading.kind === 'refused' ? reading : await checkUrl(url)
  if (verdict.kind === 'refused') {
    throw invalidRequest(field, `${field} ${REFUSAL_TEXTS[verdict.reason]}`)
  }
  return new URL(url).host
}
