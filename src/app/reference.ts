/** Reference data that every cell uses, which takes time and memory to load. */
import { join } from 'node:path'
import { loadDomainLists, loadIpData } from '../modules/checks/index.ts'
import { loadCarriers } from '../modules/phone/index.ts'
import { packageRoot } from '../platform/package-root.ts'

export type Reference = {
  domain_lists: ReturnType<typeof loadDomainLists>
  ip_data: ReturnType<typeof loadIpData>
  carriers: ReturnType<typeof loadCarriers>
}

export function createReference(): () => Reference {
  let loaded: Reference | undefined
  return () => {
    const folder = join(packageRoot(), 'build', 'data')
    loaded ??= {
      domain_lists: loadDomainLists(folder),
      ip_data: loadIpData(folder),
      carriers: loadCarriers(folder),
    }
    return loaded
  }
}
