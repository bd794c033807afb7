/** Organizations, people, keys, credits and usage, the audit log and the request log. */
import {
  type Accounts,
  backChannelRoutes,
  createAccountMails,
  createAccounts,
  createDomainProof,
  createMailDispatcher,
  createSignInAttempts,
  createSignInDomains,
  deviceSignInRoutes,
  emailChangeRoutes,
  invitationRoutes,
  memberRoutes,
  organizationProviderRoutes,
  organizationRoutes,
  type Plan,
  passkeyRoutes,
  passkeySignInRoutes,
  passwordResetRoutes,
  profileRoutes,
  secondFactorRoutes,
  signInPolicyRoutes,
  signInRoutes,
  singleSignOnRoutes,
  sweepChallenges,
  sweepDeviceSignIns,
  sweepEmailChanges,
  sweepExpired,
  sweepFlows,
  sweepInvitations,
  sweepLogoutTokens,
  sweepResets,
} from '../modules/accounts/index.ts'
import { createAuditLog, expireAudit } from '../modules/audit/index.ts'
import {
  type Billing,
  createBilling,
  createLowBalance,
  creditRoutes,
  expireUsage,
  findOldestUnposted,
  type LowBalance,
  type Price,
} from '../modules/billing/index.ts'
import { MAIN_CELL } from '../modules/cells/index.ts'
import { configurationRoutes, createConfiguration } from '../modules/configuration/index.ts'
import {
  createKeys,
  createKeyUses,
  type Keys,
  keyRoutes,
  recordKeyUses,
} from '../modules/keys/index.ts'
import {
  createRequestReading,
  createRequestRecorder,
  recordRequests,
  requestRoutes,
  sweepRequests,
} from '../modules/requests/index.ts'
import {
  createVolume,
  findFoldedUntil,
  type Volumes,
  volumeRoutes,
} from '../modules/volume/index.ts'
import { cached } from '../platform/cached.ts'
import { installationSecret } from '../platform/crypto/installation-secrets.ts'
import { createKeyedHash } from '../platform/crypto/keyed-hash.ts'
import type { GaugeOptions } from '../platform/metrics.ts'
import type { Job } from '../platform/schedule.ts'
import { MINUTE_SECONDS } from '../platform/time-units.ts'
import { type Core, inMain, pick } from './core.ts'
import { openMailer, siteOf } from './mail.ts'
import { countedSweep, daysBefore, expirySweeps, job, type Part, secondsSince } from './part.ts'
import { placesOf } from './places.ts'
import { openSingleSignOn } from './single-sign-on.ts'

export type AccountsPart = Part & {
  accounts: Accounts
  keys: Keys
  billing: Billing
  low_balance: LowBalance
  volumes: Volumes
  priceOf: (plan: Plan) => Price | null
}

const SECRET_BYTES = 32
/** Invitations are listed as expired for this long. */
const EXPIRED_INVITATION_DAYS = 30
const GAUGES_EVERY_MS = 30_000

export async function createAccountsPart(core: Core): Promise<AccountsPart> {
  const { directory, db, sealer, newId, clock, log, config, metrics, outside } = core
  const secretOf = async (name: string) =>
    await installationSecret(directory, sealer, name, SECRET_BYTES)
  const attempts = createSignInAttempts(createKeyedHash(await secretOf('sign_in_attempts')))
  const mailer = openMailer(config)
  const link_secret = await secretOf('account_mails')
  const mails = createAccountMails({ newId, clock, link_secret })
  const accounts = createAccounts({
    mails: mailer && mails,
    passwords: outside.passwords,
    db: directory,
    places: placesOf(core),
    sealer,
    newId,
    clock,
    log,
    access_token_secret: await secretOf('access_token'),
    known_browser_secret: await secretOf('known_browser'),
    has_provider: config.oidc_issuer !== undefined,
    ...pick(
      config,
      'access_token_minutes',
      'refresh_token_days',
      'session_idle_minutes',
      'session_days',
      'refresh_leeway_seconds',
      'invitation_days',
      'provider_session_hours',
      'organizations_per_owner',
    ),
  })
  const single_sign_on = openSingleSignOn(core, accounts)
  const keys = createKeys({ db: directory, newId, clock })
  const billing = createBilling({ db, newId, clock })
  const low_balance = createLowBalance({ db, clock, newId, audit: core.directoryWriters.audit })
  const volumes = createVolume({ db, clock })
  const priceOf = (plan: Plan) => priceOfPlan(config, plan)
  return {
    accounts,
    keys,
    billing,
    low_balance,
    volumes,
    priceOf,
    routes: (app) => {
      if (core.cell === MAIN_CELL && config.request_log_per_second > 0) {
        const limit = pick(config, 'request_log_per_second')
        recordRequests(app, createRequestRecorder({ db: directory, clock, newId, log, ...limit }))
      }
      recordKeyUses(app, createKeyUses({ db: directory, clock, log }))
      const signOutUrlOf = single_sign_on?.signOutUrlOf
      const site = pick(config, 'public_url', 'refresh_token_days')
      const signIn = { accounts, attempts, signOutUrlOf, ...site }
      const provider_name = config.oidc_issuer === undefined ? undefined : config.oidc_name
      singleSignOnRoutes(app, { single_sign_on, provider_name, ...signIn })
      backChannelRoutes(app, { single_sign_on })
      organizationProviderRoutes(app, {
        domains: openDomains(core),
        single_sign_on,
        provider_name,
        ...signIn,
      })
      signInRoutes(app, signIn)
      passkeySignInRoutes(app, signIn)
      passkeyRoutes(app, signIn)
      profileRoutes(app, { accounts })
      deviceSignInRoutes(app, { accounts })
      secondFactorRoutes(app, { accounts })
      signInPolicyRoutes(app, { accounts })
      organizationRoutes(app, { accounts, audit_log: createAuditLog({ db: directory }) })
      memberRoutes(app, { accounts })
      invitationRoutes(app, { accounts, attempts })
      passwordResetRoutes(app, { accounts, attempts })
      emailChangeRoutes(app, { accounts, attempts, has_mail: mailer !== undefined })
      keyRoutes(app, { keys })
      const { audit } = core.directoryWriters
      creditRoutes(app, { billing, low_balance, priceOf })
      const configuration = createConfiguration({ db, directory, clock, newId, audit })
      configurationRoutes(app, { configuration })
      volumeRoutes(app, {
        volumes,
        clock,
        priceOf,
        namesOfKeys: async (orgId) =>
          new Map((await keys.list(orgId)).map((key) => [key.key_id, key])),
      })
      requestRoutes(app, { request_reading: createRequestReading({ db: directory, clock }) })
    },
    dispatchers: mailer
      ? inMain(core, [
          createMailDispatcher({
            db: directory,
            newId,
            clock,
            log,
            mails,
            mailer,
            link_secret,
            site: siteOf(config),
            poll_ms: config.notification_poll_ms,
            observe: (outcome) => metrics.countAttempt('account_mail', outcome),
          }),
        ])
      : [],
    jobs: [
      postUsageJob(core, billing),
      ...inMain(core, [
        job('requests.sweep', 10 * MINUTE_SECONDS, (now) => sweepRequests(directory, now)),
      ]),
      job('volume.fold', MINUTE_SECONDS, (now, signal) => volumes.fold(now, signal)),
    ],
    gauges: [lagGauges(core)],
    sweeps: (now) => [
      ...expirySweeps(now, config.usage_retention_days, 'usage', async (before) =>
        expireUsage(db, before, await findFoldedUntil(db)),
      ),
      ...inMain(core, [
        ...expirySweeps(now, config.audit_retention_days, 'audit_log', (before) =>
          expireAudit(directory, before),
        ),
        countedSweep('sessions', () => sweepExpired(directory, now)),
        countedSweep('sign_in_flows', () => sweepFlows(directory, now)),
        countedSweep('sign_in_logout_tokens', () => sweepLogoutTokens(directory, now)),
        countedSweep('passkey_challenges', () => sweepChallenges(directory, now)),
        countedSweep('password_resets', () => sweepResets(directory, now)),
        countedSweep('device_sign_ins', () => sweepDeviceSignIns(directory, now)),
        countedSweep('email_changes', () => sweepEmailChanges(directory, now)),
        countedSweep('invitations', () =>
          sweepInvitations(directory, daysBefore(now, EXPIRED_INVITATION_DAYS)),
        ),
      ]),
    ],
  }
}

/** Names that no resolver has in its cache take seconds. */
const DNS_TIMEOUT_MS = 5000

function openDomains({ directory: db, clock, newId, config }: Core) {
  const prove = createDomainProof({ servers: config.dns_servers, timeoutMs: DNS_TIMEOUT_MS })
  return createSignInDomains({ db, clock, newId, prove })
}

function priceOfPlan(config: Core['config'], plan: Plan): Price | null {
  const per_1000_credits = config[`credit_price_${plan}`]
  return per_1000_credits === 0 ? null : { currency: config.billing_currency, per_1000_credits }
}

const postUsageJob = ({ config, log }: Core, billing: Billing): Job =>
  job('billing.post_usage', config.billing_interval_seconds, async (now, signal) => {
    const posted = await billing.postUsage(now, signal)
    if (posted.rows > 0) log.info(posted, 'usage debited')
  })

function lagGauges({ db, clock }: Core): GaugeOptions<string> {
  const read = cached(
    async () => ({ unposted: await findOldestUnposted(db), folded: await findFoldedUntil(db) }),
    GAUGES_EVERY_MS,
  )
  return {
    gauges: {
      vigil_billing_oldest_seconds: 'Age of the oldest usage that was not debited yet',
      vigil_volume_oldest_seconds: 'Time since which usage is not part of the hourly sums yet',
    },
    read: async () => {
      const { unposted, folded } = await read()
      const now = clock.now()
      const values = {
        vigil_billing_oldest_seconds: secondsSince(unposted, now),
        vigil_volume_oldest_seconds: secondsSince(folded, now),
      }
      return [{ values }]
    },
  }
}
