/** The protocol's code for a request that the client or its user rejects. */
const REJECTED = -1;

/** Why a server gets no answer of the model. The client sends it the message and the code. */
export class SamplingRefusal extends Error {
  override readonly name = 'SamplingRefusal';
  readonly code: number = REJECTED;

  constructor(reason: string) {
    super(`The request to the model was refused: ${reason}.`);
  }
}
