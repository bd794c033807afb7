/** What hashes passwords: a native library or WebAssembly. */
export type PasswordEngine = {
  /** @returns a PHC string */
  hash(password: string): Promise<string>
  verify(hash: string, password: string): Promise<boolean>
}
