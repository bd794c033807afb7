/** Services for applications and their credentials, and emulators of both providers that know the keys. */
import { startApns } from '../../emulators/apns/index.ts'
import { createAuthority } from '../../emulators/certificate.ts'
import { startFcm } from '../../emulators/fcm/index.ts'
import { createApplications } from '../../src/modules/applications/index.ts'
import { createPushConfigurations } from '../../src/modules/push/configurations/service.ts'
import { createCredentialCache } from '../../src/modules/push/credentials/credential-cache.ts'
import { createPushCredentials } from '../../src/modules/push/credentials/service.ts'
import { createTestSends } from '../../src/modules/push/credentials/test-sends.ts'
import { closeSenders, createPushSenders } from '../../src/modules/push/providers/senders.ts'
import { readMasterKeys } from '../../src/platform/crypto/master-key.ts'
import { createSealer, type Sealer } from '../../src/platform/crypto/sealed.ts'
import { createIds } from '../../src/platform/ids.ts'
import { createLog, type Log } from '../../src/platform/log.ts'
import type { Database } from '../../src/platform/postgres/db.ts'
import { TEST_MASTER_KEY } from '../harness.ts'

const clock = { now: () => new Date() }
const newId = createIds()

export function testSealer(db: Database): Sealer {
  const masterKeys = readMasterKeys({ configured: TEST_MASTER_KEY, data_dir: '' })
  return createSealer({ db, masterKeys, newId, clock })
}

/** Services that store applications, configurations and credentials. */
export function createPushModules(db: Database, { push_applications_max = 100 } = {}) {
  const shared = { db, clock, newId, sealer: testSealer(db) }
  return {
    applications: createApplications({ ...shared, push_applications_max }),
    configurations: createPushConfigurations(shared),
    credentials: createPushCredentials(shared),
  }
}

/** Emulators of both providers, and senders connected to them. */
export async function startProviders(
  db: Database,
  { log = createLog('silent'), deadline_ms = 10_000 }: { log?: Log; deadline_ms?: number } = {},
) {
  const authority = createAuthority()
  const fcm = await startFcm({ port: 0, authority })
  const production = await startApns({ port: 0, authority, environment: 'production' })
  const apple_key = production.control.signingKey()
  const sandbox = await startApns({ port: 0, authority, environment: 'sandbox', keys: [apple_key] })
  const senders = createPushSenders({
    fcm_url: fcm.url,
    fcm_token_url: fcm.token_url,
    apns_url: production.url,
    apns_sandbox_url: sandbox.url,
    ca: authority.cert,
    deadline_ms,
    log,
    now: clock.now,
  })
  const credentialCache = createCredentialCache({ sealer: testSealer(db), clock })
  const { key_id, team_id, private_key: key } = apple_key
  return {
    fcm: fcm.control,
    apns: { production: production.control, sandbox: sandbox.control },
    urls: { fcm, production, sandbox },
    ca: authority.cert,
    senders,
    credentialCache,
    test_sends: createTestSends({ db, credentialCache, senders, clock, newId }),
    uploads: {
      fcm: { provider: 'fcm' as const, service_account: fcm.control.serviceAccount() as object },
      apns: { provider: 'apns' as const, key, key_id, team_id },
    },
    close: async () => {
      await closeSenders(senders, 0)
      await Promise.all([fcm.close(), production.close(), sandbox.close()])
    },
  }
}

export type Providers = Awaited<ReturnType<typeof startProviders>>
