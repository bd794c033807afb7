/**
 * The reason codes of chargebacks that mean fraud. Most chargebacks are disputes about goods or
 * processing; learned as fraud, they would blame customers, devices and terminals for late parcels.
 */

/** Codes without punctuation, in lower case. */
const FRAUD_CODES: readonly RegExp[] = [
  // Visa 10.1 to 10.5, and the codes before 2018.
  /^10[1-5]$/,
  /^(57|62|81|83|93)$/,
  // Mastercard.
  /^(4837|4840|4849|4863|4870|4871)$/,
  // American Express.
  /^(f10|f14|f22|f24|f29|f30|f31|fr2|fr4|fr6)$/,
  // Discover and Diners Club.
  /^(ua01|ua02|ua05|ua06|ua10|ua11|ua12|ua18|ua20|ua21|7010|7030|4752|4753|4866|4867)$/,
  // JCB.
  /^(546|581)$/,
  // Words that payment providers use in place of the codes of networks.
  /^(fraud|fraudulent|unauthorized|unauthorised|unrecognized|unauthorizedtransaction)$/,
]

export function isFraudCode(code: string): boolean {
  const plain = code.toLowerCase().replace(/[^a-z0-9]/g, '')
  return FRAUD_CODES.some((pattern) => pattern.test(plain))
}
