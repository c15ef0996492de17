#!/usr/bin/env bash
"${0##*/}" "$@"
