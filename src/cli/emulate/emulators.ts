/** The emulators of `vigil emulate`, each loaded on demand. */
import { resolve } from 'node:path'
import { Option } from 'commander'
import {
  authorityIn,
  type EmulatorCommand,
  FOLDER_OPTION,
  loadScenario,
} from './emulator-command.ts'

const dns: EmulatorCommand = {
  help: 'a DNS server (UDP and TCP)',
  port: 5353,
  start: async ({ port, host, scenario }) => {
    const emulator = await import('../../../emulators/dns.ts')
    const responses = scenario ? loadScenario(scenario, emulator.readDnsScenario) : emulator.example
    const server = await emulator.startDns({ port, host, scenario: responses })
    return {
      json: { kind: 'dns', address: server.address },
      lines: [`DNS on ${server.address}`, `Use it with VIGIL_DNS_SERVERS=${server.address}`],
      close: server.close,
    }
  },
}

const rdap: EmulatorCommand = {
  help: 'an RDAP server with its bootstrap registry, and a WHOIS server',
  port: 5380,
  start: async ({ port, host, scenario }) => {
    const emulator = await import('../../../emulators/rdap.ts')
    const responses = scenario
      ? loadScenario(scenario, emulator.readRdapScenario)
      : emulator.example
    const server = await emulator.startRdap({ port, host, scenario: responses })
    return {
      json: { kind: 'rdap', url: server.url, whois_address: server.whois.address },
      lines: [
        `RDAP on ${server.url}, WHOIS on ${server.whois.address}`,
        `Use them with VIGIL_RDAP_BOOTSTRAP_URL=${server.bootstrap_url} VIGIL_WHOIS_SERVER=${server.whois.address}`,
      ],
      close: server.close,
    }
  },
}

const camara: EmulatorCommand = {
  help: 'the CAMARA SIM Swap 2.1 API of a mobile operator, with its token endpoint',
  port: 5390,
  start: async ({ port, host, scenario }) => {
    const emulator = await import('../../../emulators/camara.ts')
    const responses = scenario
      ? loadScenario(scenario, emulator.readCamaraScenario)
      : emulator.example
    const server = await emulator.startCamara({ port, host, scenario: responses })
    return {
      json: { kind: 'camara', url: server.sim_swap_url, token_url: server.token_url },
      lines: [
        `CAMARA SIM Swap on ${server.url}`,
        `Use it with VIGIL_SIM_SWAP_URL=${server.sim_swap_url} VIGIL_SIM_SWAP_TOKEN_URL=${server.token_url}`,
      ],
      close: server.close,
    }
  },
}

const receiver: EmulatorCommand = {
  help: 'an HTTPS receiver of webhooks that verifies signatures and can simulate failures',
  port: 5443,
  options: [
    FOLDER_OPTION,
    ['--secret <secret>', 'signing secret of the endpoint (PUT /control sets more)'],
  ],
  start: async ({ port, host, scenario, folder, secret }) => {
    const emulator = await import('../../../emulators/receiver.ts')
    const authority = await authorityIn(folder)
    const server = await emulator.startReceiver({
      port,
      host,
      authority,
      scenario: {
        ...(scenario ? loadScenario(scenario, emulator.readReceiverScenario) : emulator.example),
        ...(secret !== undefined && { secrets: [secret] }),
      },
    })
    const allow = server.url.replace('https://', '')
    return {
      json: { kind: 'receiver', url: server.url, allow, ca_file: authority.file },
      lines: [
        `Webhook receiver on ${server.url}`,
        `Use it with VIGIL_WEBHOOK_ALLOW=${allow} NODE_EXTRA_CA_CERTS=${authority.file}`,
        `Received requests: curl --cacert ${authority.file} ${server.url}/received`,
      ],
      close: server.close,
    }
  },
}

const slack: EmulatorCommand = {
  help: 'incoming webhooks of Slack, over HTTPS',
  port: 5444,
  options: [FOLDER_OPTION],
  start: async ({ port, host, scenario, folder }) => {
    const emulator = await import('../../../emulators/slack.ts')
    const authority = await authorityIn(folder)
    const given = scenario ? loadScenario(scenario, emulator.readSlackScenario) : {}
    const server = await emulator.startSlack({ port, host, authority, scenario: given })
    const allow = server.url.replace('https://', '')
    return {
      json: { kind: 'slack', url: server.url, allow, ca_file: authority.file },
      lines: [
        `Slack on ${server.url}/services/…`,
        `Use it with VIGIL_WEBHOOK_ALLOW=${allow} NODE_EXTRA_CA_CERTS=${authority.file}`,
        `Received messages: curl --cacert ${authority.file} ${server.url}/received`,
      ],
      close: server.close,
    }
  },
}

const pagerduty: EmulatorCommand = {
  help: 'the Events API v2 of PagerDuty, over HTTPS',
  port: 5445,
  options: [FOLDER_OPTION],
  start: async ({ port, host, scenario, folder }) => {
    const emulator = await import('../../../emulators/pagerduty.ts')
    const authority = await authorityIn(folder)
    const given = scenario ? loadScenario(scenario, emulator.readPagerdutyScenario) : {}
    const server = await emulator.startPagerduty({ port, host, authority, scenario: given })
    const allow = server.url.replace('https://', '')
    return {
      json: { kind: 'pagerduty', url: server.url, allow, ca_file: authority.file },
      lines: [
        `PagerDuty on ${server.url}/v2/enqueue`,
        `Use it with VIGIL_WEBHOOK_ALLOW=${allow} NODE_EXTRA_CA_CERTS=${authority.file}`,
        `Received events: curl --cacert ${authority.file} ${server.url}/received`,
      ],
      close: server.close,
    }
  },
}

const smtp: EmulatorCommand = {
  help: 'a mail server that stores what it receives',
  port: 5025,
  start: async ({ port, host, scenario }) => {
    const emulator = await import('../../../emulators/smtp.ts')
    const given = scenario ? loadScenario(scenario, emulator.readSmtpScenario) : {}
    const server = await emulator.startSmtp({ port, host, scenario: given })
    return {
      json: { kind: 'smtp', url: server.url, control_url: server.control_url },
      lines: [
        `SMTP on ${server.url}`,
        `Use it with VIGIL_SMTP_URL=${server.url} 'VIGIL_SMTP_FROM=Vigil <vigil@example.com>'`,
        `Received mails: curl ${server.control_url}/received`,
      ],
      close: server.close,
    }
  },
}

const androidManagement: EmulatorCommand = {
  help: 'the Android Management API with its sign-up, OAuth, Pub/Sub and phones',
  port: 5490,
  hasScenario: false,
  options: [['--folder <path>', 'folder of the state (default: in memory only)']],
  start: async ({ port, host, folder }) => {
    const { startAndroidManagement } = await import(
      '../../../emulators/android-management/index.ts'
    )
    const storage = folder === undefined ? {} : { folder: resolve(folder) }
    const server = await startAndroidManagement({ port, host, ...storage })
    return {
      json: { kind: 'android-management', url: server.url },
      lines: [
        `Android Management API on ${server.url}`,
        `Use it with VIGIL_ANDROID_MANAGEMENT_URL=${server.url}`,
        `Phones: ${server.url}/`,
        `Service account: curl ${server.url}/control/service-account`,
      ],
      close: server.close,
    }
  },
}

export const fcm: EmulatorCommand = {
  help: 'the HTTP v1 API of Firebase Cloud Messaging, with its token endpoint and phones',
  port: 5500,
  hasScenario: false,
  options: [FOLDER_OPTION],
  start: async ({ port, host, folder }) => {
    const { startFcm } = await import('../../../emulators/fcm/index.ts')
    const authority = await authorityIn(folder)
    const server = await startFcm({ port, host, authority })
    const { url, token_url } = server
    return {
      json: { kind: 'fcm', url, token_url, ca_file: authority.file },
      lines: [
        `Firebase Cloud Messaging on ${url}`,
        `Use it with VIGIL_FCM_URL=${url} VIGIL_FCM_TOKEN_URL=${token_url} NODE_EXTRA_CA_CERTS=${authority.file}`,
        `Service account: curl --cacert ${authority.file} ${url}/control/service-account`,
        `Create a phone: curl --cacert ${authority.file} -X POST ${url}/control/phones`,
      ],
      close: server.close,
    }
  },
}

const PORTS = { production: 5510, sandbox: 5511 } as const
const SETTINGS = { production: 'VIGIL_APNS_URL', sandbox: 'VIGIL_APNS_SANDBOX_URL' } as const

export const apns: EmulatorCommand = {
  help: 'one environment of the Apple Push Notification service, with phones',
  port: PORTS,
  hasScenario: false,
  options: [
    FOLDER_OPTION,
    new Option('--environment <name>', 'environment')
      .choices(Object.keys(PORTS))
      .default('production'),
  ],
  start: async ({ port, host, folder, environment = 'production' }) => {
    const { startApns } = await import('../../../emulators/apns/index.ts')
    const authority = await authorityIn(folder)
    const server = await startApns({ port, host, authority, environment })
    const { url } = server
    return {
      json: { kind: 'apns', environment, url, ca_file: authority.file },
      lines: [
        `Apple Push Notification service (${environment}) on ${url}`,
        `Use it with ${SETTINGS[environment]}=${url} NODE_EXTRA_CA_CERTS=${authority.file}`,
        `Signing key: curl --cacert ${authority.file} ${url}/control/key`,
        `Create a phone: curl --cacert ${authority.file} -X POST ${url}/control/phones`,
      ],
      close: server.close,
    }
  },
}

export const EMULATORS: Record<string, EmulatorCommand> = {
  dns,
  rdap,
  camara,
  receiver,
  slack,
  pagerduty,
  smtp,
  'android-management': androidManagement,
  fcm,
  apns,
}
