/** `vigil emulate android-management`. */
import { resolve } from 'node:path'
import { startAndroidManagement } from '../../../emulators/android-management/index.ts'
import type { Kind } from './kind.ts'

export const androidManagement: Kind = {
  help: 'the Android Management API with its sign-up, OAuth, Pub/Sub and phones',
  port: 5490,
  hasScenario: false,
  options: [['--folder <path>', 'where its state is kept (default: in memory only)']],
  start: async ({ port: at, host, folder }) => {
    const kept = folder === undefined ? {} : { folder: resolve(folder) }
    const server = await startAndroidManagement({ port: at, host, ...kept })
    return {
      json: { kind: 'android-management', url: server.url },
      lines: [
        `Android Management API on ${server.url}`,
        `Use it with VIGIL_ANDROID_MANAGEMENT_URL=${server.url}`,
        `Its phones: ${server.url}/`,
        `A service account: curl ${server.url}/control/service-account`,
      ],
      close: server.close,
    }
  },
}
