/** `vigil emulate receiver`: whom webhooks go to. */
import { resolve } from 'node:path'
import * as emulator from '../../../emulators/receiver.ts'
import { AUTHORITY_FOLDER, authorityIn, FOLDER_OPTION, type Kind, load } from './kind.ts'

export const receiver: Kind = {
  help: 'an HTTPS receiver of webhooks that verifies signatures and makes trouble when told to',
  port: 5443,
  options: [
    FOLDER_OPTION,
    ['--secret <secret>', 'signing secret of the endpoint (more by PUT /control)'],
  ],
  start: async ({ port: at, host, scenario, folder, secret }) => {
    const authority = authorityIn(resolve(folder ?? AUTHORITY_FOLDER))
    const server = await emulator.startReceiver({
      port: at,
      host,
      authority,
      scenario: {
        ...(scenario ? load(scenario, emulator.readReceiverScenario) : emulator.example),
        ...(secret !== undefined && { secrets: [secret] }),
      },
    })
    const allow = server.url.replace('https://', '')
    return {
      json: { kind: 'receiver', url: server.url, allow, ca_file: authority.file },
      lines: [
        `Webhook receiver on ${server.url}`,
        `Use it with VIGIL_WEBHOOK_ALLOW=${allow} NODE_EXTRA_CA_CERTS=${authority.file}`,
        `What came: curl --cacert ${authority.file} ${server.url}/received`,
      ],
      close: server.close,
    }
  },
}
