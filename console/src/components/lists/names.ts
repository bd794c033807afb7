/** Names of lists and of what they are about. */
import type { ListKind, ListName } from '../../../../src/modules/lists/schema.ts'
import type { Tone } from '../badge.tsx'

export const LISTS: readonly { value: ListName; label: string; about: string }[] = [
  { value: 'block', label: 'Block', about: 'scores at least 90' },
  { value: 'watch', label: 'Watch', about: 'scores at least 50 and is reviewed' },
  { value: 'allow', label: 'Allow', about: 'scores at most 24' },
]

export const LIST_TONES: Readonly<Record<ListName, Tone>> = {
  block: 'bad',
  watch: 'warn',
  allow: 'good',
}

export const KINDS: readonly { value: ListKind; label: string }[] = [
  { value: 'email', label: 'E-mail' },
  { value: 'domain', label: 'E-mail domain' },
  { value: 'phone', label: 'Phone number' },
  { value: 'device', label: 'Device (fingerprint_hash)' },
  { value: 'ip', label: 'IP address or ip_hash' },
  { value: 'network', label: 'Network (CIDR)' },
  { value: 'card', label: 'Card (card_hash)' },
  { value: 'profile', label: 'Profile (external_id)' },
  { value: 'terminal', label: 'Terminal (edge_device_id)' },
  { value: 'cashier', label: 'Cashier (external_id)' },
  { value: 'country', label: 'Country' },
]

export const kindName = (kind: ListKind): string =>
  KINDS.find(({ value }) => value === kind)?.label ?? kind
