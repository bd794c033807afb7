/** `vigil emulate fcm`. */
import { resolve } from 'node:path'
import { startFcm } from '../../../emulators/fcm/index.ts'
import { AUTHORITY_FOLDER, authorityIn, FOLDER_OPTION, type Kind } from './kind.ts'

export const fcm: Kind = {
  help: 'the HTTP v1 API of Firebase Cloud Messaging with its token endpoint and phones',
  port: 5500,
  hasScenario: false,
  options: [FOLDER_OPTION],
  start: async ({ port: at, host, folder }) => {
    const authority = authorityIn(resolve(folder ?? AUTHORITY_FOLDER))
    const server = await startFcm({ port: at, host, authority })
    const { url, token_url } = server
    return {
      json: { kind: 'fcm', url, token_url, ca_file: authority.file },
      lines: [
        `Firebase Cloud Messaging on ${url}`,
        `Use it with VIGIL_FCM_URL=${url} VIGIL_FCM_TOKEN_URL=${token_url} NODE_EXTRA_CA_CERTS=${authority.file}`,
        `A service account: curl --cacert ${authority.file} ${url}/control/service-account`,
        `A phone: curl --cacert ${authority.file} -X POST ${url}/control/phones`,
      ],
      close: server.close,
    }
  },
}
