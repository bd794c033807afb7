/** The usual rules for checks. */
import type { Template } from './template.ts'

export const CHECK_TEMPLATES: readonly Template[] = [
  {
    name: 'Sign-up with a disposable address',
    when: 'check.event_type == "signup" && signals.disposable >= 50',
    effect: 'floor',
    value: 70,
    signal: 'disposable',
    comment: 'Critical instead of high, because you do not want such accounts.',
  },
  {
    name: 'Many checks from one domain',
    when: 'domain.last_hour > 20',
    effect: 'review',
    value: 0,
    signal: 'velocity',
    comment: 'More than 20 addresses of one domain within about an hour, without mail providers.',
  },
  {
    name: 'Several people on one device',
    when: 'check.event_type == "signup" && device.people >= 3',
    effect: 'points',
    value: 25,
    signal: 'device',
    comment: 'Three people or more within 30 days. Families share devices, so replay it first.',
  },
  {
    name: 'Payment after a SIM swap',
    when: 'check.event_type in ["payment", "withdrawal"] && phone.recent_sim_swap',
    effect: 'alert',
    value: 0,
    signal: 'phone',
    comment: 'Call the customer before the money leaves.',
  },
  {
    name: 'Address and phone number of different countries',
    when: 'ip.country != "" && phone.country != "" && ip.country != phone.country && !ip.is_hosting',
    effect: 'points',
    value: 15,
    signal: 'ip',
    comment: 'Travelers match as well, so it only adds points.',
  },
]
