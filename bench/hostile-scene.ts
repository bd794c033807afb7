/** The parts that the scenarios of hostile requests share. */
import { createKeys } from '../src/modules/keys/index.ts'
import { addOrganizations, type Bed, openBenchStores } from './bed.ts'
import type { HostileRequest } from './hostile-requests.ts'
import type { Findings } from './report.ts'
import type { Service } from './service.ts'

/** API keys. The public and the secret one belong to the hostile organization. */
export type Senders = Record<HostileRequest['sender'], string> & { neighbor: string }

/** The service was started for the scenario. */
export type Scene = {
  bed: Bed
  service: Service
  senders: Senders
}

export type ScenarioFindings = Omit<Findings, 'unit'>

export async function addSenders(bed: Bed): Promise<Senders> {
  const stores = await openBenchStores(bed.data_dir)
  try {
    const [hostile = '', neighbor = ''] = await addOrganizations(stores, 2)
    const keys = createKeys(stores)
    const keyOf = async (org: string, kind: 'live_secret' | 'live_public') =>
      (await keys.create(org, kind))?.key ?? ''
    return {
      nobody: '',
      'secret key': await keyOf(hostile, 'live_secret'),
      'public key': await keyOf(hostile, 'live_public'),
      neighbor: await keyOf(neighbor, 'live_secret'),
    }
  } finally {
    await stores.close()
  }
}
