/**
 * Connections that strangers may choose the target of (a redirect, a referral) must not lead inside
 * our own network. The address that was judged is the one that is connected to: a name that is
 * resolved twice could mean something else the second time.
 */
import { lookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { Agent, buildConnector, type Dispatcher } from 'undici'
import { isInwardAddress } from './public-address.ts'

/** Judges an IP address; only tests need another than `isInwardAddress`. */
export type IsInward = (address: string) => boolean

/** `host` as it stands in a URL or alone. Names are judged once they are resolved. */
export function isInwardHost(host: string, isInward: IsInward = isInwardAddress): boolean {
  const name = host.replace(/^\[|\]$/g, '')
  return isIP(name) !== 0 && isInward(name)
}

/** For `connect` of node:net, which asks it about names only. One inward address condemns a name. */
export function outwardLookup(isInward: IsInward = isInwardAddress): LookupFunction {
  return (name, options, done) => {
    lookup(name, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? []
      if (error !== null || first === undefined) {
        done(error ?? new Error(`${name} has no address`), '')
      } else if (addresses.some(({ address }) => isInward(address))) {
        done(new Error(`${name} is inside our own network`), '')
      } else if (options.all === true) {
        done(null, addresses)
      } else {
        done(null, first.address, first.family)
      }
    })
  }
}

/** For requests by HTTP. */
export function createOutwardAgent(isInward: IsInward = isInwardAddress): Dispatcher {
  const connect = buildConnector({ lookup: outwardLookup(isInward) })
  return new Agent({
    connect: (target, done) => {
      if (isInwardHost(target.hostname, isInward)) {
        done(new Error(`${target.hostname} is inside our own network`), null)
      } else {
        connect(target, done)
      }
    },
  })
}
