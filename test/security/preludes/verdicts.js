/** What the host answers to a call: the result, or the type of the error, whose message must be short. */
async function verdict(call) {
  try {
    return await call;
  } catch (error) {
    const { length } = error.message;
    return length < 10_300 ? error.type ?? error.name : `${error.type} of ${length} characters`;
  }
}
