const kept = [];
for (let text = 'x'; ; text += text) {
  kept.push(text);
  if (text.length > 2 ** 26) Object.assign({}, { [text]: 1 });
}
