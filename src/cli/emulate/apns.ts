/** `vigil emulate apns`: one environment of Apple's push service. */
import { resolve } from 'node:path'
import { Option } from 'commander'
import * as emulator from '../../../emulators/apns/index.ts'
import { AUTHORITY_FOLDER, authorityIn, FOLDER_OPTION, type Kind } from './kind.ts'

const SETTINGS = { production: 'VIGIL_APNS_URL', sandbox: 'VIGIL_APNS_SANDBOX_URL' } as const

export const apns: Kind = {
  help: 'the Apple Push Notification service, one of its two environments, and phones',
  port: emulator.PORTS,
  hasScenario: false,
  options: [
    FOLDER_OPTION,
    new Option('--environment <name>', 'which of the two')
      .choices(Object.keys(emulator.PORTS))
      .default('production'),
  ],
  start: async ({ port: at, host, folder, environment = 'production' }) => {
    const authority = authorityIn(resolve(folder ?? AUTHORITY_FOLDER))
    const server = await emulator.startApns({ port: at, host, authority, environment })
    const { url } = server
    return {
      json: { kind: 'apns', environment, url, ca_file: authority.file },
      lines: [
        `Apple Push Notification service (${environment}) on ${url}`,
        `Use it with ${SETTINGS[environment]}=${url} NODE_EXTRA_CA_CERTS=${authority.file}`,
        `A signing key: curl --cacert ${authority.file} ${url}/control/key`,
        `A phone: curl --cacert ${authority.file} -X POST ${url}/control/phones`,
      ],
      close: server.close,
    }
  },
}
